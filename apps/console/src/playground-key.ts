import { unwrap } from '@farebox/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from './api';

/** In this tab only. */
const STORAGE_KEY = 'farebox.playground-key';
/** The public ids of the keys that this browser's tabs have created, to end them at the sign-out. */
const CREATED_KEY = 'farebox.playground-keys';
const NAME = 'Playground';
const LIFETIME_SECONDS = 86_400;

export interface PlaygroundKey {
  secret: string;
  /** Whether it is the customer's own key. */
  isOwn: boolean;
  /** Unix seconds; undefined if it is not known. */
  expiresAt?: number | undefined;
}

type Kept = PlaygroundKey & { accountId: string };

function readKept(accountId: string, nowMs: number): PlaygroundKey | undefined {
  const text = sessionStorage.getItem(STORAGE_KEY);
  if (text === null) return undefined;
  const kept = JSON.parse(text) as Kept;
  if (kept.accountId !== accountId) return undefined;
  return kept.expiresAt === undefined || kept.expiresAt * 1_000 > nowMs ? kept : undefined;
}

function createdKeys(): readonly string[] {
  return JSON.parse(localStorage.getItem(CREATED_KEY) ?? '[]') as string[];
}

/**
 * The gateway accepts only API keys, so the playground creates one for a day with the first message; the
 * secrets of other keys are known only to their owner.
 */
export function usePlaygroundKey(accountId: string) {
  const queryClient = useQueryClient();
  const [key, setKey] = useState(() => readKept(accountId, Date.now()));
  const keep = (next: PlaygroundKey | undefined) => {
    setKey(next);
    if (next) sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ ...next, accountId } satisfies Kept));
    else sessionStorage.removeItem(STORAGE_KEY);
  };
  const obtain = async (): Promise<string> => {
    if (key) return key.secret;
    const expiresAt = Math.floor(Date.now() / 1_000) + LIFETIME_SECONDS;
    const made = await unwrap(client.POST('/v1/api-keys', { body: { name: NAME, expires_at: expiresAt } }));
    keep({ secret: made.key, isOwn: false, expiresAt });
    localStorage.setItem(CREATED_KEY, JSON.stringify([...createdKeys(), made.key_public_id]));
    void queryClient.invalidateQueries({ queryKey: ['api-keys'] });
    return made.key;
  };
  return { key, keep, obtain };
}

/** Revokes the playground's keys of all tabs. A key that cannot be revoked ends within a day anyway. */
export async function revokePlaygroundKeys(): Promise<void> {
  const ids = createdKeys();
  localStorage.removeItem(CREATED_KEY);
  await Promise.allSettled(
    ids.map((id) =>
      client.DELETE('/v1/api-keys/{key_public_id}', { params: { path: { key_public_id: id } } }),
    ),
  );
}
