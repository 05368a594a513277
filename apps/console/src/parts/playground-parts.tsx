import { unwrap } from '@farebox/client';
import {
  Alert,
  Anchor,
  Box,
  Button,
  Group,
  Loader,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Turn } from '../conversation';
import { toCount, toDollars } from '../format';
import { client } from '../api';

/** In this tab only. */
const STORAGE_KEY = 'farebox.playground-key';
const NAME = 'Playground';
const LIFETIME_SECONDS = 86_400;

interface PlaygroundKey {
  secret: string;
  /** Whether it is the customer's own key. */
  isOwn: boolean;
  /** Unix seconds; undefined if it is not known. */
  expiresAt?: number | undefined;
}

function readKept(nowMs: number): PlaygroundKey | undefined {
  const text = sessionStorage.getItem(STORAGE_KEY);
  if (text === null) return undefined;
  const kept = JSON.parse(text) as PlaygroundKey;
  return kept.expiresAt === undefined || kept.expiresAt * 1_000 > nowMs ? kept : undefined;
}

/**
 * The gateway accepts only API keys, so the playground creates one for a day with the first message; the
 * secrets of other keys are known only to their owner.
 */
export function usePlaygroundKey() {
  const queryClient = useQueryClient();
  const [key, setKey] = useState(() => readKept(Date.now()));
  const keep = (next: PlaygroundKey | undefined) => {
    setKey(next);
    if (next) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(next));
    else sessionStorage.removeItem(STORAGE_KEY);
  };
  const obtain = async (): Promise<string> => {
    if (key) return key.secret;
    const expiresAt = Math.floor(Date.now() / 1_000) + LIFETIME_SECONDS;
    const made = await unwrap(client.POST('/v1/api-keys', { body: { name: NAME, expires_at: expiresAt } }));
    keep({ secret: made.key, isOwn: false, expiresAt });
    void queryClient.invalidateQueries({ queryKey: ['api-keys'] });
    return made.key;
  };
  return { key, keep, obtain };
}

/** One message, with its cost if it is a response. */
export function TurnView({
  turn: { role, content, end, usage, id },
  isRunning,
}: {
  turn: Turn;
  isRunning: boolean;
}) {
  const isMine = role === 'user';
  return (
    <Box className={isMine ? 'turn turn-mine' : 'turn'}>
      <Text size="xs" c="dimmed" fw={500} mb={2}>
        {isMine ? 'You' : 'Model'}
      </Text>
      <Text component="div" className="conversation-turn">
        {content || (isRunning ? <Loader type="dots" size="sm" aria-label="Waiting for the answer" /> : '–')}
      </Text>
      {end && (
        <Alert mt="xs" color="yellow" py="xs">
          {end}
        </Alert>
      )}
      {usage && (
        <Group gap="xs" mt={6}>
          <Text size="xs" c="dimmed">
            {toDollars(usage.cost)} · {toCount(usage.prompt_tokens)} prompt and{' '}
            {toCount(usage.completion_tokens)} completion tokens
          </Text>
          {id && (
            <Anchor
              fz="xs"
              renderRoot={(props) => <Link to="/activity/$requestId" params={{ requestId: id }} {...props} />}
            >
              Receipt
            </Anchor>
          )}
        </Group>
      )}
    </Box>
  );
}

/** The key that messages are sent with: the playground's own, or one that the customer has at hand. */
export function KeyChoice({
  apiKey,
  keep,
}: {
  apiKey: PlaygroundKey | undefined;
  keep: (key: PlaygroundKey | undefined) => void;
}) {
  const [isChoosing, setChoosing] = useState(false);
  const [text, setText] = useState('');
  if (isChoosing)
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keep({ secret: text, isOwn: true });
          setChoosing(false);
          setText('');
        }}
      >
        <Stack gap="xs">
          <PasswordInput
            label="API key"
            description="Kept in this tab until you close it"
            placeholder="ak-…"
            autoComplete="off"
            required
            autoFocus
            value={text}
            onChange={({ currentTarget: { value } }) => setText(value.trim())}
          />
          <Group gap="xs">
            <Button type="submit" size="xs">
              Use it
            </Button>
            <Button size="xs" variant="default" onClick={() => setChoosing(false)}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    );
  return (
    <Stack gap={2}>
      <Text size="sm" fw={500}>
        API key
      </Text>
      <Text size="xs" c="dimmed">
        {apiKey?.isOwn
          ? `Yours, which ends with ${apiKey.secret.slice(-4)}. It is kept in this tab.`
          : apiKey
            ? 'A key named Playground, created for a day and kept in this tab.'
            : 'The first message creates a key named Playground, for a day.'}
      </Text>
      <Group gap="md">
        <Anchor component="button" type="button" fz="xs" onClick={() => setChoosing(true)}>
          Use another key
        </Anchor>
        {apiKey?.isOwn && (
          <Anchor component="button" type="button" fz="xs" onClick={() => keep(undefined)}>
            Stop using it
          </Anchor>
        )}
      </Group>
    </Stack>
  );
}

/** A numeric parameter; empty leaves it to the model. */
export function NumberField({
  value,
  onChange,
  ...field
}: {
  label: string;
  description?: string;
  placeholder?: string;
  min: number;
  max?: number;
  step?: number;
  value: number | string;
  onChange: (value: number | string) => void;
}) {
  return (
    <TextInput
      type="number"
      inputMode="decimal"
      value={value}
      onChange={({ currentTarget: { value: text, valueAsNumber } }) =>
        onChange(text === '' ? '' : valueAsNumber)
      }
      {...field}
    />
  );
}
