import { unwrap } from '@farebox/client';
import {
  Alert,
  Button,
  Group,
  Modal,
  MultiSelect,
  SegmentedControl,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, type ApiKeyWithSecret, client, modelsQuery } from '../api';
import { ErrorNotice } from './states';
import { CopyableText } from './copyable';

export const KEY_STATUSES = {
  active: { name: 'Active', colour: 'teal' },
  expired: { name: 'Expired', colour: 'yellow' },
  revoked: { name: 'Revoked', colour: 'gray' },
} as const;

/** The only time that a secret is shown. */
export function NewSecret({ apiKey, done }: { apiKey: ApiKeyWithSecret; done: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" title="Copy it now">
        It is not shown again. Anybody who has it can spend your balance.
      </Alert>
      <CopyableText text={apiKey.key} label="Copy the API key" />
      <Group justify="flex-end">
        <Button onClick={done}>Done</Button>
      </Group>
    </Stack>
  );
}

const NO_LIMIT = {
  ...{ name: '', limit: '', expiry: '', origins: '', mode: 'all', models: [] as string[] },
  shows: undefined as boolean | undefined,
};

export function CreateKey({ close }: { close: () => void }) {
  const queryClient = useQueryClient();
  const [wish, setWish] = useState(NO_LIMIT);
  const create = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/api-keys', { body: toBody(wish) })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['api-keys'] }),
  });
  return (
    <Modal
      opened
      onClose={close}
      title={create.data ? 'Your API key' : 'Create an API key'}
      // Closing the dialog by a stray click would lose the secret.
      closeOnClickOutside={!create.data}
    >
      {create.data ? (
        <NewSecret apiKey={create.data} done={close} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate();
          }}
        >
          <Stack>
            {create.error && <ErrorNotice error={create.error} />}
            <TextInput
              label="Name"
              description="What uses it, so that you recognise it"
              required
              maxLength={100}
              data-autofocus
              value={wish.name}
              onChange={({ currentTarget: { value } }) => setWish({ ...wish, name: value })}
            />
            <TextInput
              label="Monthly spending limit"
              description="In US dollars. Without one, the limits of your account apply"
              placeholder="No limit"
              inputMode="decimal"
              leftSection="$"
              pattern="\d+(\.\d{1,9})?"
              title="Dollars, like 5 or 2.50"
              value={wish.limit}
              onChange={({ currentTarget: { value } }) => setWish({ ...wish, limit: value.trim() })}
            />
            <TextInput
              label="Expires"
              description="At the end of this day. Without one, never"
              type="date"
              value={wish.expiry}
              onChange={({ currentTarget: { value } }) => setWish({ ...wish, expiry: value })}
            />
            <OriginsInput wish={wish} change={(changed) => setWish({ ...wish, ...changed })} />
            <ModelChoice wish={wish} change={(changed) => setWish({ ...wish, ...changed })} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending}>
                Create key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

type Origins = Pick<typeof NO_LIMIT, 'origins' | 'shows'>;

function OriginsInput({ wish, change }: { wish: Origins; change: (changed: Partial<Origins>) => void }) {
  return (
    <>
      <TextInput
        label="Allowed origins"
        description="For a key in a web page: the origins that may use it, separated by commas. Without any, programs may"
        placeholder="https://app.example.com"
        value={wish.origins}
        onChange={({ currentTarget: { value } }) => change({ origins: value })}
      />
      <Switch
        label="Show users of the key the account's balance and limits"
        description="In quotes and refusals: the balance, and what is left of the daily caps. Visitors of a page see everything that its key is shown"
        checked={wish.shows ?? toOrigins(wish.origins).length === 0}
        onChange={({ currentTarget: { checked } }) => change({ shows: checked })}
      />
    </>
  );
}

/** Changes the origins that may use an existing key. */
export function ChangeOrigins({ record, close }: { record: ApiKey; close: () => void }) {
  const queryClient = useQueryClient();
  const { key_public_id } = record;
  const isDefault = record.shows_account_limits === (record.allowed_origins === null);
  const [wish, setWish] = useState<Origins>({
    origins: record.allowed_origins?.join(', ') ?? '',
    shows: isDefault ? undefined : record.shows_account_limits,
  });
  const save = useMutation({
    mutationFn: () => {
      const allowed = toOrigins(wish.origins);
      return unwrap(
        client.PATCH('/v1/api-keys/{key_public_id}', {
          params: { path: { key_public_id } },
          body: {
            allowed_origins: allowed.length === 0 ? null : allowed,
            shows_account_limits: wish.shows ?? null,
          },
        }),
      );
    },
    onSuccess: async () => {
      await Promise.all(
        [['api-keys'], ['api-key', key_public_id]].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      );
      close();
    },
  });
  return (
    <Modal opened onClose={close} title="Allowed origins">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack>
          {save.error && <ErrorNotice error={save.error} />}
          <OriginsInput wish={wish} change={(changed) => setWish({ ...wish, ...changed })} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

type Models = Pick<typeof NO_LIMIT, 'mode' | 'models'>;

function ModelChoice({ wish, change }: { wish: Models; change: (changed: Partial<Models>) => void }) {
  const models = useQuery(modelsQuery).data?.data ?? [];
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500} id="key-models">
        Models
      </Text>
      <SegmentedControl
        aria-labelledby="key-models"
        value={wish.mode}
        onChange={(mode) => change({ mode })}
        data={[
          { value: 'all', label: 'All' },
          { value: 'allow', label: 'Only these' },
          { value: 'block', label: 'All but these' },
        ]}
      />
      {wish.mode !== 'all' && (
        <MultiSelect
          aria-label="Chosen models"
          placeholder="Choose models"
          searchable
          data={models.map(({ id }) => id)}
          value={wish.models}
          onChange={(chosen) => change({ models: chosen })}
        />
      )}
    </Stack>
  );
}

const toOrigins = (typed: string): string[] => typed.split(/[\s,]+/).filter((origin) => origin !== '');

function toBody({ name, limit, expiry, origins, shows, mode, models }: typeof NO_LIMIT) {
  const allowedOrigins = toOrigins(origins);
  return {
    name: name.trim(),
    ...(limit === '' ? {} : { monthly_spend_limit: limit }),
    // To the end of that day in the person's own time zone.
    ...(expiry === '' ? {} : { expires_at: Math.floor(Date.parse(`${expiry}T23:59:59`) / 1_000) }),
    ...(allowedOrigins.length === 0 ? {} : { allowed_origins: allowedOrigins }),
    ...(shows === undefined ? {} : { shows_account_limits: shows }),
    ...(mode === 'all' ? {} : { model_policy: { mode: mode as 'allow' | 'block', models } }),
  };
}
