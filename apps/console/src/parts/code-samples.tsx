import { Box, Group, Tabs } from '@mantine/core';
import { useState } from 'react';
import type { Sample } from '../samples';
import { CopyIcon } from '@farebox/ui/copyable';
import { t } from '@farebox/ui/language';

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
        {shown && (
          <CopyIcon
            text={shown.code}
            label={t('Copy the {name} sample', { name: shown.name })}
            variant="default"
          />
        )}
      </Group>
      {samples.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <Box
            component="pre"
            m={0}
            className="sample code"
            tabIndex={0}
            role="group"
            aria-label={t('{name} sample', { name })}
          >
            <code>{code}</code>
          </Box>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
