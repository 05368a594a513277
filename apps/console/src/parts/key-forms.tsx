import { unwrap } from '@farebox/client';
import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type ApiKey, client } from '../api';
import { faultsOf, type KeyWish, NEW_KEY, toChanges, toInputDay, toSettings, toWish } from '../key-settings';
import { Dialog } from '@farebox/ui/dialog';
import { KeyFields } from './key-fields';
import { NewApiKey, useHeldPage } from './new-secret';
import { ErrorNotice } from '@farebox/ui/errors';
import { t } from '@farebox/ui/language';

export function CreateKey({ close }: { close: () => void }) {
  const queryClient = useQueryClient();
  /** Known before the next rendering: until then, Escape would close the dialog, and lose the secret. */
  const isSent = useRef(false);
  const create = useMutation({
    mutationFn: (wish: KeyWish) => unwrap(client.POST('/v1/api-keys', { body: toSettings(wish) })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['api-keys'] }),
    onError: () => {
      isSent.current = false;
    },
  });
  const secret = create.data;
  useHeldPage(create.isPending);
  return (
    <Dialog
      title={secret ? t('Your API key') : t('Create an API key')}
      close={() => {
        if (!isSent.current) close();
      }}
      isHeld={create.isPending || secret !== undefined}
    >
      {secret ? (
        <NewApiKey apiKey={secret} done={close} />
      ) : (
        <KeyForm
          before={NEW_KEY}
          save={(wish) => {
            isSent.current = true;
            create.mutate(wish);
          }}
          isSaving={create.isPending}
          error={create.error && <ErrorNotice error={create.error} />}
          close={close}
          button={t('Create key')}
        />
      )}
    </Dialog>
  );
}

export function EditKey({ record, close }: { record: ApiKey; close: () => void }) {
  const queryClient = useQueryClient();
  const { key_public_id } = record;
  const [before] = useState(() => toWish(record));
  const save = useMutation({
    mutationFn: async (wish: KeyWish) => {
      const changes = toChanges(before, wish);
      if (Object.keys(changes).length === 0) return;
      await unwrap(
        client.PATCH('/v1/api-keys/{key_public_id}', { params: { path: { key_public_id } }, body: changes }),
      );
      await Promise.all(
        [['api-keys'], ['api-key', key_public_id]].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      );
    },
    onSuccess: close,
  });
  return (
    <Dialog title={t('Edit the API key')} close={close}>
      <KeyForm
        before={before}
        save={save.mutate}
        isSaving={save.isPending}
        error={save.error && <ErrorNotice error={save.error} />}
        close={close}
        button={t('Save')}
      />
    </Dialog>
  );
}

function KeyForm({
  before,
  save,
  isSaving,
  error,
  close,
  button,
}: {
  before: KeyWish;
  save: (wish: KeyWish) => void;
  isSaving: boolean;
  error: ReactNode;
  close: () => void;
  button: string;
}) {
  const [wish, setWish] = useState(before);
  const [wasTried, setTried] = useState(false);
  const today = toInputDay(new Date());
  const faults = faultsOf(wish, before, today);
  return (
    <form
      // The faults stand at their fields in the page's own words, not in those of the browser.
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isSaving) return;
        const form = event.currentTarget;
        flushSync(() => setTried(true));
        if (Object.keys(faults).length === 0) save(wish);
        else form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
      }}
    >
      <Stack>
        {error}
        <KeyFields
          wish={wish}
          change={(changed) => setWish({ ...wish, ...changed })}
          faults={wasTried ? faults : {}}
          today={today}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={isSaving}>
            {t('Cancel')}
          </Button>
          <Button type="submit" loading={isSaving}>
            {button}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
