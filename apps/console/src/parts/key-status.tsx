import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ApiKeyWithSecret } from '../api';
import { CopyableText } from './copyable';

export const KEY_STATUSES = {
  active: { name: 'Active', colour: 'teal' },
  expired: { name: 'Expired', colour: 'yellow' },
  revoked: { name: 'Revoked', colour: 'gray' },
} as const;

/** The one time that a secret can be seen. */
export function NewSecret({ apiKey, done }: { apiKey: ApiKeyWithSecret; done: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" title="Copy it now">
        It is not shown again. Whoever has it spends your balance.
      </Alert>
      <CopyableText text={apiKey.key} label="Copy the API key" />
      <Group justify="flex-end">
        <Button onClick={done}>Done</Button>
      </Group>
    </Stack>
  );
}
