import { unwrap } from '@farebox/client';
import { useState } from 'react';
import { client } from './api';

/** The playground's key is for all tabs, one that the customer brings for its tab alone. */
const STORAGE_KEY = 'farebox.playground-key';
/** Tabs obtain it one after the other: the second finds what the first has left. */
const LOCK = STORAGE_KEY;

export interface PlaygroundKey {
  secret: string;
  /** Whether it is the customer's own key. */
  isOwn: boolean;
}

type Kept = PlaygroundKey & {
  accountId: string;
  /** Unix seconds; undefined if it is not known. */
  expiresAt?: number;
};

function readKept(accountId: string): PlaygroundKey | undefined {
  for (const storage of [sessionStorage, localStorage]) {
    const kept = JSON.parse(storage.getItem(STORAGE_KEY) ?? 'null') as Kept | null;
    if (kept?.accountId !== accountId) continue;
    if (kept.expiresAt === undefined || kept.expiresAt * 1_000 > Date.now()) return kept;
  }
  return undefined;
}

/**
 * The gateway accepts only API keys, so the console obtains the one of the account's playground with the first
 * message; the secrets of other keys are known only to their owner.
 */
export function usePlaygroundKey(accountId: string) {
  const [key, setKey] = useState(() => readKept(accountId));

  /** Null forgets the customer's own. */
  const keepOwn = (secret: string | null) => {
    if (secret === null) sessionStorage.removeItem(STORAGE_KEY);
    else
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ secret, isOwn: true, accountId } satisfies Kept));
    setKey(readKept(accountId));
  };

  /** A key other than `dead`. Undefined if that is the customer's own. */
  const obtain = async (dead?: string): Promise<string | undefined> => {
    const next = await navigator.locks.request(LOCK, async () => {
      const kept = readKept(accountId);
      if (kept && kept.secret !== dead) return kept;
      if (kept?.isOwn) return undefined;
      const obtained = await unwrap(client.POST('/v1/playground-key'));
      const { key: secret, expires_at: expiresAt } = obtained;
      const fresh: Kept = { secret, isOwn: false, accountId, ...(expiresAt !== null && { expiresAt }) };
      localStorage.setItem(STORAGE_KEY, JSON.stringify(fresh));
      return fresh;
    });
    if (!next) keepOwn(null);
    else setKey(next);
    return next?.secret;
  };
  return { key, keepOwn, obtain };
}

/** Forgets the playground's key, which ends with the session, unless it is of this account. */
export function forgetPlaygroundKey({ unlessOf }: { unlessOf?: string } = {}): void {
  const kept = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null') as Kept | null;
  if (kept?.accountId !== unlessOf) localStorage.removeItem(STORAGE_KEY);
}
