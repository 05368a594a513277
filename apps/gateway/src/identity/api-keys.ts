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

/** The holder of a request's key, with access to the service. */
export type Caller = ApiKeyIdentity;

/**
 * The secret that a request carries. Throws `authentication_error` if it is missing or of the wrong kind, and
 * `invalid_api_key` if it cannot be a key, without a look-up.
 */
export function requireApiKeySecret(headers: CredentialHeaders): string {
  const secret = readApiKeySecret(headers);
  if (secret === undefined) throw new ApiError('authentication_error');
  return secret;
}

/** The headers that carry a key. Clients may use a header of Anthropic's. */
export interface KeyHeaders extends CredentialHeaders {
  headers: CredentialHeaders['headers'] & { 'x-api-key'?: string | string[] | undefined };
}

/**
 * `requireApiKeySecret` for a request that may carry the key as `x-api-key`. If it has both headers, they must be the
 * same.
 */
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
 * The caller that a key belongs to. Throws the refusal of the key, of its origin, or of its account: `preconditionOf`
 * tells which precondition that is. From here on, a page that may use the key may read the response.
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

/** As a multiple of `rememberMs`. After the first an entry is read again while it is used. */
const LONGEST_REMEMBERED = 2;

export type KeyDirectory = ReturnType<typeof createKeyDirectory>;

/**
 * Finds the owner of a key. Remembered entries speed up identification and decide nothing: the hold is placed only if
 * the key is still live, of the remembered version, and the account active. A response without a hold needs
 * `identifyNow`. Both throw `service_unavailable` if the database cannot answer now.
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

  /** Everyone who comes with a key during its look-up waits for the same look-up. */
  function lookUpOnce(key: string, secret: string): Promise<ApiKeyIdentity | undefined> {
    return lookUps.run(key, () => identifyNow(secret));
  }

  return {
    /** From the database. */
    identifyNow,
    /** From the database, by a look-up that may have begun before: any number of callers cost one query. */
    identifySoon: (secret: string) => lookUpOnce(memoryKeyOf(secret), secret),
    /** From memory, at once, if the key was live a moment ago; otherwise from the database. */
    identify(secret: string): ApiKeyIdentity | Promise<ApiKeyIdentity | undefined> {
      const key = memoryKeyOf(secret);
      const known = remembered.get(key);
      const ageMs = known ? now() - known.readAtMs : Infinity;
      if (known && ageMs < rememberMs) return known.identity;
      const running = lookUpOnce(key, secret);
      if (!known || ageMs >= LONGEST_REMEMBERED * rememberMs) return running;
      // Meanwhile the remembered entry is used: a busy key must not wait, nor query the database many times at once.
      running.catch(() => undefined);
      return known.identity;
    },
  };
}

/** A secret stays in memory only during its request. The database has a different hash, with a pepper. */
function memoryKeyOf(secret: string): string {
  return hash('sha256', secret, 'base64');
}

/** Connections of the pool for look-ups: clients who guess keys must not take all of them. */
const QUERIES_AT_ONCE = 2;
const KEYS_A_QUERY = 256;

interface Waiting {
  secret: string;
  resolve: (identity: ApiKeyIdentity | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * All waiting secrets go out as one query, and the next query follows when the former has returned, so many look-ups
 * cost little more than one.
 */
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

  /** The query begins after the call. */
  return (secret: string): Promise<ApiKeyIdentity | undefined> =>
    new Promise((resolve, reject) => {
      waiting.push({ secret, resolve, reject });
      queries.start();
    });
}
