import { hash } from 'node:crypto';
import type { ApiKeyIdentity } from '@farebox/accounts';
import type { KeyHasher } from '@farebox/auth';
import { isRetryable } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import type { Pool } from 'pg';
import { createKeyLookUps } from './key-look-ups';

/**
 * Finds out whose a key is. What it remembers speeds up identification and decides nothing: the hold is placed only
 * where the key is still live, of the remembered version, and the account active. An answer without a hold is given
 * after `identifyNow`. Both throw `service_unavailable` where the database cannot answer now.
 */
export interface KeyDirectory {
  /** From memory where the key was live a moment ago, else from the database. */
  identify(secret: string): Promise<ApiKeyIdentity | undefined>;
  /** From the database. */
  identifyNow(secret: string): Promise<ApiKeyIdentity | undefined>;
}

export interface KeyDirectoryOptions {
  pool: Pool;
  hasher: KeyHasher;
  /** How long an identification is remembered before it is read anew. */
  rememberMs: number;
  maxEntries: number;
  now?: () => number;
}

interface Remembered {
  identity: ApiKeyIdentity;
  readAtMs: number;
}

/** In terms of `rememberMs`. After the first of them it is read anew while it is used. */
const LONGEST_REMEMBERED = 2;

export function createKeyDirectory(options: KeyDirectoryOptions): KeyDirectory {
  const { pool, hasher, rememberMs, maxEntries, now = () => performance.now() } = options;
  const remembered = new Map<string, Remembered>();
  const lookUpNow = createKeyLookUps(pool, hasher);
  const lookUps = new Map<string, Promise<ApiKeyIdentity | undefined>>();

  async function lookUp(secret: string): Promise<ApiKeyIdentity | undefined> {
    try {
      return await lookUpNow(secret);
    } catch (cause) {
      throw isRetryable(cause) ? new ApiError('service_unavailable', { retryAfterSeconds: 1, cause }) : cause;
    }
  }

  async function identifyNow(secret: string): Promise<ApiKeyIdentity | undefined> {
    const key = memoryKeyOf(secret);
    const identity = await lookUp(secret);
    remembered.delete(key);
    if (identity?.status === 'active' && identity.inviteStatus === 'active') {
      // A Map keeps the order of insertion: the first entry is the one that was read longest ago.
      const [oldest] = remembered.keys();
      if (remembered.size >= maxEntries && oldest !== undefined) remembered.delete(oldest);
      remembered.set(key, { identity, readAtMs: now() });
    }
    return identity;
  }

  /** All who come with a key while it is looked up wait for the one look-up. */
  function lookUpOnce(key: string, secret: string): Promise<ApiKeyIdentity | undefined> {
    let running = lookUps.get(key);
    if (!running) {
      running = identifyNow(secret).finally(() => lookUps.delete(key));
      lookUps.set(key, running);
    }
    return running;
  }

  return {
    identifyNow,
    async identify(secret) {
      const key = memoryKeyOf(secret);
      const known = remembered.get(key);
      const ageMs = known ? now() - known.readAtMs : Infinity;
      if (known && ageMs < rememberMs) return known.identity;
      const running = lookUpOnce(key, secret);
      if (!known || ageMs >= LONGEST_REMEMBERED * rememberMs) return running;
      // Meanwhile what is known serves on: a busy key must not wait, nor ask the database many times at once.
      running.catch(() => undefined);
      return known.identity;
    },
  };
}

/** A secret stays in memory only as long as its request. The hash in the database is another one, with a pepper. */
function memoryKeyOf(secret: string): string {
  return hash('sha256', secret, 'base64');
}
