import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { identifyApiKeys, type ApiKeyIdentity } from '@farebox/accounts';
import {
  API_KEY_PREFIX,
  isWellFormedApiKey,
  readApiKeySecret,
  readBearer,
  requireAccess,
  requireLiveKey,
  type CredentialHeaders,
  type KeyHasher,
} from '@farebox/auth';
import { ApiError } from '@farebox/errors';
import { Coalescer, SingleFlights } from '@farebox/flow';
import { shareWith } from '@farebox/http';
import type { Pool } from 'pg';
import { toStoreError } from '../refusals';

/** Whoever holds the key of a request, with access to the service. */
export type Caller = ApiKeyIdentity;

/**
 * The secret that a request carries. Throws `authentication_error` if there is none or it is of the wrong kind, and
 * `invalid_api_key` if it cannot be a key, without a look-up.
 */
export function requireApiKeySecret(headers: CredentialHeaders): string {
  const secret = readApiKeySecret(headers);
  if (secret === undefined) throw new ApiError('authentication_error');
  return secret;
}

/** The part of a request that carries a key, for clients who may name it in a header of Anthropic's. */
export interface KeyHeaders extends CredentialHeaders {
  headers: CredentialHeaders['headers'] & { 'x-api-key'?: string | string[] | undefined };
}

/** `requireApiKeySecret` of a request that may carry the key as `x-api-key`. If it has both, they must be the same. */
export function requireApiKeyOrBearer(req: KeyHeaders): string {
  const key = req.headers['x-api-key'];
  if (key === undefined) return requireApiKeySecret(req);
  if (typeof key !== 'string' || !key.startsWith(API_KEY_PREFIX)) throw new ApiError('authentication_error');
  const hasBearer = readBearer(req).kind !== 'none';
  if (hasBearer && requireApiKeySecret(req) !== key) throw new ApiError('authentication_error');
  if (!isWellFormedApiKey(key)) throw new ApiError('invalid_api_key');
  return key;
}

/**
 * The caller that a key was found to be. Throws what refuses the key, where it is used from, or its account:
 * `preconditionOf` says which precondition that is. A page that may use the key may read the response, from here on.
 */
export function requireCaller(
  found: ApiKeyIdentity | undefined,
  { headers: { origin } }: IncomingMessage,
  res: ServerResponse,
): Caller {
  const identity = requireLiveKey(found, origin);
  if (identity.allowedOrigins !== null && origin !== undefined) shareWith(res, origin);
  requireAccess(identity);
  return identity;
}

interface KeyDirectoryOptions {
  pool: Pool;
  hasher: KeyHasher;
  /** How long an identification is remembered before it is read again. */
  rememberMs: number;
  maxEntries: number;
  now?: () => number;
}

interface Remembered {
  identity: ApiKeyIdentity;
  readAtMs: number;
}

/** In terms of `rememberMs`. After the first of them it is read again while it is used. */
const LONGEST_REMEMBERED = 2;

export type KeyDirectory = ReturnType<typeof createKeyDirectory>;

/**
 * Finds out whose a key is. What it remembers speeds up identification and decides nothing: the hold is placed only
 * if the key is still live, of the remembered version, and the account active. A response without a hold is given
 * after `identifyNow`. Both throw `service_unavailable` if the database cannot answer now.
 */
export function createKeyDirectory(options: KeyDirectoryOptions) {
  const { pool, hasher, rememberMs, maxEntries, now = () => performance.now() } = options;
  const remembered = new Map<string, Remembered>();
  const lookUpNow = createKeyLookUps(pool, hasher);
  const lookUps = new SingleFlights<string, ApiKeyIdentity | undefined>();

  async function lookUp(secret: string): Promise<ApiKeyIdentity | undefined> {
    try {
      return await lookUpNow(secret);
    } catch (cause) {
      throw toStoreError(cause);
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
    return lookUps.run(key, () => identifyNow(secret));
  }

  return {
    /** From the database. */
    identifyNow,
    /** From the database, by a look-up that may have begun before: as many as come cost no more than one. */
    identifySoon: (secret: string) => lookUpOnce(memoryKeyOf(secret), secret),
    /** From memory, at once, if the key was live a moment ago, else from the database. */
    identify(secret: string): ApiKeyIdentity | Promise<ApiKeyIdentity | undefined> {
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

/** Of the pool's connections: who guesses keys must not take them from everybody else. */
const QUERIES_AT_ONCE = 2;
const KEYS_A_QUERY = 256;

interface Waiting {
  secret: string;
  resolve: (identity: ApiKeyIdentity | undefined) => void;
  reject: (error: unknown) => void;
}

/** All secrets that wait go out as one query, and the next when a former is back: what many ask costs little more. */
function createKeyLookUps(pool: Pool, hasher: KeyHasher) {
  const waiting: Waiting[] = [];
  const queries = new Coalescer({
    isDue: () => waiting.length > 0,
    send: () => lookUp(waiting.splice(0, KEYS_A_QUERY)),
    begins: 'at_once',
    atOnce: QUERIES_AT_ONCE,
  });

  async function lookUp(batch: readonly Waiting[]): Promise<void> {
    try {
      const secrets = batch.map(({ secret }) => secret);
      const found = await identifyApiKeys(pool, hasher, secrets);
      for (const [i, { resolve }] of batch.entries()) resolve(found[i]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** The query is begun after the call. */
  return (secret: string): Promise<ApiKeyIdentity | undefined> =>
    new Promise((resolve, reject) => {
      waiting.push({ secret, resolve, reject });
      queries.start();
    });
}
