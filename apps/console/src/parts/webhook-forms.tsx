import { unwrap } from '@farebox/client';
import { Button, Group, MultiSelect, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { client, type Webhook, type WebhookEventType } from '../api';
import { WEBHOOK_EVENTS } from '../webhook-words';
import { NewSecret, useHeldPage } from './new-secret';
import { Dialog } from '@farebox/ui/dialog';
import { ErrorNotice } from '@farebox/ui/errors';
import { Question } from '@farebox/ui/question';
import { t } from '@farebox/ui/language';

interface Wish {
  url: string;
  description: string;
  /** None: all. */
  types: WebhookEventType[];
  enabled: boolean;
}

const NEW: Wish = { url: 'https://', description: '', types: [], enabled: true };

const toBody = ({ url, description, types }: Wish) => ({
  url: url.trim(),
  description: description.trim() === '' ? null : description.trim(),
  event_types: types.length === 0 ? null : types,
});

/** All that shows webhooks. */
function useRefresh(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all([['webhooks'], ['webhook']].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

export function CreateWebhook({ close }: { close: () => void }) {
  const refresh = useRefresh();
  const sending = useSending(close);
  const create = useMutation({
    mutationFn: (wish: Wish) => unwrap(client.POST('/v1/webhooks', { body: toBody(wish) })),
    onMutate: sending.begin,
    onSuccess: refresh,
    onError: sending.fail,
  });
  return (
    <SecretDialog
      title={t('Create a webhook')}
      secret={create.data?.secret}
      isPending={create.isPending}
      cancel={sending.cancel}
      close={close}
      before={
        <WebhookForm
          before={NEW}
          save={create.mutate}
          isSaving={create.isPending}
          error={create.error && <ErrorNotice error={create.error} />}
          close={close}
          button={t('Create webhook')}
        />
      }
    />
  );
}

/** Known before the next rendering: until then, Escape would close the dialog, and lose the secret. */
function useSending(close: () => void) {
  const isSent = useRef(false);
  return {
    begin: () => {
      isSent.current = true;
    },
    fail: () => {
      isSent.current = false;
    },
    cancel: () => {
      if (!isSent.current) close();
    },
  };
}

/** Shows a secret once it is there. Until its owner has it, nothing else closes the dialog. */
function SecretDialog({
  title,
  secret,
  isPending,
  cancel,
  close,
  before,
}: {
  title: string;
  secret: string | undefined;
  isPending: boolean;
  cancel: () => void;
  close: () => void;
  before: ReactNode;
}) {
  useHeldPage(isPending);
  return (
    <Dialog
      title={secret === undefined ? title : t('The secret of the webhook')}
      close={cancel}
      isHeld={isPending || secret !== undefined}
    >
      {secret === undefined ? (
        before
      ) : (
        <NewSecret
          secret={secret}
          label={t('Secret')}
          note={t('It is not shown again. Your program checks with it that an event comes from here.')}
          copyLabel={t('Copy the secret')}
          done={close}
        />
      )}
    </Dialog>
  );
}

export function WebhookDialog({
  dialog,
  ...props
}: {
  dialog: 'edit' | 'rotate' | 'delete';
  webhook: Webhook;
  close: () => void;
}) {
  if (dialog === 'edit') return <EditWebhook {...props} />;
  return dialog === 'rotate' ? <RotateSecret {...props} /> : <DeleteWebhook {...props} />;
}

interface DialogProps {
  webhook: Webhook;
  close: () => void;
}

function EditWebhook({ webhook, close }: DialogProps) {
  const refresh = useRefresh();
  const [before] = useState(() => ({
    url: webhook.url,
    description: webhook.description ?? '',
    types: (webhook.event_types ?? []) as WebhookEventType[],
    enabled: webhook.enabled,
  }));
  const save = useMutation({
    mutationFn: ({ enabled, ...wish }: Wish) =>
      unwrap(
        client.PATCH('/v1/webhooks/{webhook_id}', {
          params: { path: { webhook_id: webhook.webhook_id } },
          body: { ...toBody({ ...wish, enabled }), ...(enabled !== before.enabled && { enabled }) },
        }),
      ),
    onSuccess: async () => {
      await refresh();
      close();
    },
  });
  return (
    <Dialog title={t('Edit the webhook')} close={close}>
      <WebhookForm
        before={before}
        hasSwitch
        save={save.mutate}
        isSaving={save.isPending}
        error={save.error && <ErrorNotice error={save.error} />}
        close={close}
        button={t('Save')}
      />
    </Dialog>
  );
}

function RotateSecret({ webhook: { webhook_id }, close }: DialogProps) {
  const refresh = useRefresh();
  const sending = useSending(close);
  const rotate = useMutation({
    mutationFn: () =>
      unwrap(client.POST('/v1/webhooks/{webhook_id}/rotate', { params: { path: { webhook_id } } })),
    onMutate: sending.begin,
    onSuccess: refresh,
    onError: sending.fail,
  });
  return (
    <SecretDialog
      title={t('Rotate the secret?')}
      secret={rotate.data?.secret}
      isPending={rotate.isPending}
      cancel={sending.cancel}
      close={close}
      before={
        <Question
          text={t('For 24 hours, events are signed with the new secret and with the one before.')}
          change={rotate}
          button={t('Rotate the secret')}
          close={close}
        />
      }
    />
  );
}

function DeleteWebhook({ webhook: { webhook_id }, close }: DialogProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () =>
      unwrap(client.DELETE('/v1/webhooks/{webhook_id}', { params: { path: { webhook_id } } })),
    onSuccess: async () => {
      await navigate({ to: '/webhooks' });
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  return (
    <Dialog title={t('Delete the webhook?')} close={close}>
      <Question
        text={t('Events that wait for it are not sent.')}
        change={remove}
        button={t('Delete')}
        close={close}
      />
    </Dialog>
  );
}

function WebhookForm({
  before,
  hasSwitch = false,
  save,
  isSaving,
  error,
  close,
  button,
}: {
  before: Wish;
  hasSwitch?: boolean;
  save: (wish: Wish) => void;
  isSaving: boolean;
  error: ReactNode;
  close: () => void;
  button: string;
}) {
  const [wish, setWish] = useState(before);
  const change = (changed: Partial<Wish>) => setWish({ ...wish, ...changed });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSaving) save(wish);
      }}
    >
      <Stack>
        {error}
        <TextInput
          label={t('URL')}
          description={t('Where events are sent. It begins with https')}
          type="url"
          required
          maxLength={2000}
          data-autofocus
          value={wish.url}
          onChange={({ currentTarget: { value } }) => change({ url: value })}
        />
        <TextInput
          label={t('Description')}
          description={t('What it is for, so that you recognise it')}
          maxLength={200}
          value={wish.description}
          onChange={({ currentTarget: { value } }) => change({ description: value })}
        />
        <MultiSelect
          label={t('Events')}
          description={t('If none is chosen, all, also those of later versions')}
          placeholder={wish.types.length === 0 ? t('All') : ''}
          searchable
          data={Object.entries(WEBHOOK_EVENTS).map(([value, words]) => ({ value, label: t(words) }))}
          value={wish.types}
          onChange={(types) => change({ types: types as WebhookEventType[] })}
        />
        {hasSwitch && (
          <Switch
            label={t('Send events')}
            description={t('After it was disabled because of failures, switch it on again here')}
            checked={wish.enabled}
            onChange={({ currentTarget: { checked } }) => change({ enabled: checked })}
          />
        )}
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
