import { ActionIcon, CopyButton, Group, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { t } from './language';

/** A copy button with visible and audible feedback. */
export function CopyIcon({
  text,
  label,
  variant = 'subtle',
}: {
  text: string;
  label: string;
  variant?: 'subtle' | 'default';
}) {
  return (
    <CopyButton value={text} timeout={2_000}>
      {({ copied, copy }) => (
        <>
          <ActionIcon
            variant={variant}
            color={copied ? 'teal' : 'gray'}
            onClick={copy}
            aria-label={label}
            title={copied ? t('Copied') : label}
          >
            {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          </ActionIcon>
          <span className="only-heard" role="status">
            {copied ? t('Copied') : ''}
          </span>
        </>
      )}
    </CopyButton>
  );
}

/** An id, or another short text to copy. */
export function CopyableText({ text, label }: { text: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" maw="100%" pos="relative">
      <Text component="span" className="code" truncate title={text}>
        {text}
      </Text>
      <CopyIcon text={text} label={label} />
    </Group>
  );
}
