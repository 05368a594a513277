import { Button, Group, Stack, Text } from '@mantine/core';
import { ErrorNotice } from './errors';
import { t } from './language';

/** The content of a dialog before something that cannot be undone, or that stops programs. It shows the change's error. */
export function Question({
  text,
  change: { mutate, isPending, error },
  button,
  close,
}: {
  text: string;
  change: { mutate: () => void; isPending: boolean; error: unknown };
  button: string;
  close: () => void;
}) {
  return (
    <Stack>
      {Boolean(error) && <ErrorNotice error={error} />}
      <Text size="sm">{text}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={close} disabled={isPending} data-autofocus>
          {t('Cancel')}
        </Button>
        <Button color="red.9" loading={isPending} onClick={() => mutate()}>
          {button}
        </Button>
      </Group>
    </Stack>
  );
}
