import { unwrap } from '@farebox/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from './api';

/** In this tab, and gone with it. */
const STORAGE_KEY = 'farebox.playground-key';
const NAME = 'Playground';
const LIFETIME_SECONDS = 86_400;

export interface PlaygroundKey {
  secret: string;
  /** Whether somebody brought one of their own. */
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
 * The gateway takes API keys alone, so the playground has one. It makes its own, for a day, with the first message; the
 * secret of another key is known to nobody any more but to whom it was shown.
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
