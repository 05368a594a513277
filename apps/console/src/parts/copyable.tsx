import { ActionIcon, Box, CopyButton, Group, Tabs, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import type { Sample } from '../samples';

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

/** The same code in several languages, with a button that copies the one that is shown. */
export function CodeSamples({ samples }: { samples: readonly Sample[] }) {
  const [chosen, setChosen] = useState(samples[0]?.name ?? '');
  const shown = samples.find(({ name }) => name === chosen);
  return (
    <Tabs value={chosen} onChange={(name) => setChosen(name ?? '')} keepMounted={false}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Tabs.List>
          {samples.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {shown && <CopyIcon text={shown.code} label={`Copy the ${shown.name} sample`} variant="default" />}
      </Group>
      {samples.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name} pt="sm">
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
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
