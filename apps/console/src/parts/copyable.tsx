import { ActionIcon, Box, CopyButton, Group, Tabs, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { Sample } from '../samples';

/** A copy button with visible and audible feedback. */
function CopyIcon({
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
          <Tooltip label={copied ? 'Copied' : label}>
            <ActionIcon variant={variant} color={copied ? 'teal' : 'gray'} onClick={copy} aria-label={label}>
              {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
          <span className="only-heard" role="status">
            {copied ? 'Copied' : ''}
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

/** The same code in several languages, each with a copy button. */
export function CodeSamples({ samples }: { samples: readonly Sample[] }) {
  return (
    <Tabs defaultValue={samples[0]?.name ?? ''} keepMounted={false}>
      <Tabs.List>
        {samples.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <Box pos="relative">
            <Box
              component="pre"
              m={0}
              className="sample code"
              tabIndex={0}
              role="group"
              aria-label={`${name} sample`}
            >
              <code>{code}</code>
            </Box>
            <Box pos="absolute" top={8} right={8}>
              <CopyIcon text={code} label={`Copy the ${name} sample`} variant="default" />
            </Box>
          </Box>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
