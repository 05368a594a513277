import { createApiKeySecret, type KeyHasher } from '@farebox/auth';
import type { Prisma } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import {
  countLiveApiKeys,
  findApiKey,
  fromModelPolicy,
  issueApiKey,
  secretColumns,
  type ApiKey,
  type ApiKeySettings,
  type ModelPolicy,
} from './api-keys';
import type { Accounts } from './open-accounts';
import { requirePace } from './pace';

const MS_PER_SECOND = 1_000;

/** Keys of an account that are not revoked. A bound against a runaway script, not a promise to the last key. */
const MOST_LIVE_KEYS = 1_000;
/** Likewise, and far above what an honest script needs that makes a key a run: revoked keys stay on record. */
const MOST_NEW_KEYS_A_DAY = 10_000;

/** Throws for models of a policy that the account may not use; those that are listed before stay. */
export type RequireOffered = (
  accountId: string,
  policy: ModelPolicy | null | undefined,
  listedBefore: readonly string[],
) => Promise<void>;

/**
 * Creates a key at its owner's wish and hands out its secret, once. Throws `invalid_request_error` and
 * `rate_limit_error`.
 */
export async function createApiKey(
  accountId: string,
  accounts: Accounts,
  { hasher, requireOffered }: { hasher: KeyHasher; requireOffered: RequireOffered },
  settings: ApiKeySettings,
  now: Date,
): Promise<{ secret: string; apiKey: ApiKey }> {
  requireFuture(settings.expiresAt, now);
  await requireOffered(accountId, settings.modelPolicy, []);
  await requireRoomForKey(accountId, accounts, now);
  const { secret, apiKeyId } = await issueApiKey(accountId, accounts, hasher, settings, now);
  return { secret, apiKey: await findApiKey(accountId, accounts, apiKeyId, now) };
}

async function requireRoomForKey(accountId: string, accounts: Accounts, now: Date): Promise<void> {
  if ((await countLiveApiKeys(accountId, accounts)) >= MOST_LIVE_KEYS) {
    throw new ApiError('invalid_request_error', {
      message: `The account has ${String(MOST_LIVE_KEYS)} API keys, which is the most. Revoke one that is not used.`,
    });
  }
  const earlier = await accounts.prisma.apiKey.findFirst({
    where: { accountId },
    orderBy: { id: 'desc' },
    skip: MOST_NEW_KEYS_A_DAY - 1,
  });
  requirePace(earlier?.createdAt, now, { mostADay: MOST_NEW_KEYS_A_DAY, plural: 'API keys' });
}

/** Settings of a key. `undefined` stays as it is, `null` is taken away. */
export type ApiKeyUpdate = { [Name in keyof ApiKeySettings]: ApiKeySettings[Name] | undefined };

/** What may change of a key. Its id, its account and its history never do. */
type ApiKeyChange = Pick<
  Prisma.ApiKeyUpdateManyMutationInput,
  | 'name'
  | 'monthlySpendLimitNano'
  | 'expiresAt'
  | 'lifetimeStartsAt'
  | 'modelPolicyMode'
  | 'modelPolicyModels'
  | 'secretHmac'
  | 'pepperVersion'
  | 'hint'
  | 'secretIssuedAt'
>;

/**
 * Changes settings of a key that is not revoked; one that has expired lives again if its expiry is moved or taken
 * away. Throws `api_key_not_found`, `api_key_revoked`, and `invalid_request_error` for an expiry in the past or a model
 * that the account may not use.
 */
export function updateApiKey(
  accountId: string,
  accounts: Accounts,
  { requireOffered }: { requireOffered: RequireOffered },
  { apiKeyId, ...update }: ApiKeyUpdate & { apiKeyId: string },
  now: Date,
): Promise<ApiKey> {
  return changeApiKey(
    accountId,
    accounts,
    apiKeyId,
    async ({ modelPolicy }) => {
      requireFuture(update.expiresAt, now);
      await requireOffered(accountId, update.modelPolicy, modelPolicy?.models ?? []);
      return toApiKeyChange(update, now);
    },
    now,
  );
}

/** A lifetime begins when its end is set. */
export function toApiKeyChange(
  { name, monthlySpendLimitNano, expiresAt, modelPolicy }: ApiKeyUpdate,
  now: Date,
): ApiKeyChange {
  return {
    ...(name !== undefined && { name }),
    ...(monthlySpendLimitNano !== undefined && { monthlySpendLimitNano }),
    ...(expiresAt !== undefined && { expiresAt, lifetimeStartsAt: now }),
    ...(modelPolicy !== undefined && fromModelPolicy(modelPolicy)),
  };
}

/**
 * Replaces the secret of a key, which keeps its id and its history. The old secret ends with the commit.
 * Throws `api_key_not_found`, `api_key_revoked` and, for an expiry in the past, `invalid_request_error`.
 */
export async function rotateApiKey(
  accountId: string,
  accounts: Accounts,
  { hasher }: { hasher: KeyHasher },
  { apiKeyId, expiresAt }: { apiKeyId: string; expiresAt: Date | null | undefined },
  now: Date,
): Promise<{ secret: string; apiKey: ApiKey }> {
  const secret = createApiKeySecret();
  const { hmac, ...columns } = secretColumns(secret, hasher.hash(secret));
  const apiKey = await changeApiKey(
    accountId,
    accounts,
    apiKeyId,
    (before) => {
      requireFuture(expiresAt, now);
      const expiry = expiryAfterRotation(before, expiresAt, now);
      return { ...columns, secretHmac: Uint8Array.from(hmac), secretIssuedAt: now, ...expiry };
    },
    now,
  );
  return { secret, apiKey };
}

/** Changes of one key at the same moment; each of them but one looks again. */
const MAX_ATTEMPTS = 5;

/**
 * Changes a key that is not revoked, by what `decide` makes of it. The version is raised, so that the next request on
 * any gateway is decided on the new settings. Throws `api_key_not_found`, `api_key_revoked` and what `decide` throws.
 */
async function changeApiKey(
  accountId: string,
  accounts: Accounts,
  apiKeyId: string,
  decide: (apiKey: ApiKey) => Promise<ApiKeyChange> | ApiKeyChange,
  now: Date,
): Promise<ApiKey> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const before = await findApiKey(accountId, accounts, apiKeyId, now);
    if (before.status === 'revoked') throw new ApiError('api_key_revoked');
    const change = await decide(before);

    // The version makes it a compare-and-set: what was decided on is still there, and nobody revoked.
    const { count } = await accounts.prisma.apiKey.updateMany({
      where: { accountId, id: apiKeyId, version: before.version, revokedAt: null },
      data: { ...change, version: { increment: 1 } },
    });
    if (count === 1) return findApiKey(accountId, accounts, apiKeyId, now);
  }
  throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
}

/** When a key expires, and from when that was counted. */
export interface ApiKeyExpiry {
  expiresAt: Date | null;
  lifetimeStartsAt: Date;
}

/** Throws `invalid_request_error` for an expiry that is not in the future by the database's clock. */
export function requireFuture(expiresAt: Date | null | undefined, now: Date): void {
  if (expiresAt && expiresAt.getTime() <= now.getTime()) {
    throw new ApiError('invalid_request_error', {
      param: 'expires_at',
      message: "'expires_at' must be a time in the future.",
    });
  }
}

/**
 * When a key expires after its secret was replaced: when its owner says (`null`: never). If they say nothing, a key
 * that has not expired keeps its expiry, and an expired one gets its former lifetime again, from now on and rounded
 * up to a whole second. The lifetime is the one that its owner gave: a rotation in the middle of it does not shorten it.
 */
export function expiryAfterRotation(
  { expiresAt, lifetimeStartsAt }: ApiKeyExpiry,
  requested: Date | null | undefined,
  now: Date,
): ApiKeyExpiry {
  if (requested !== undefined) return { expiresAt: requested, lifetimeStartsAt: now };
  if (expiresAt === null || expiresAt.getTime() > now.getTime()) return { expiresAt, lifetimeStartsAt };
  const lifetimeMs = expiresAt.getTime() - lifetimeStartsAt.getTime();
  const expiresAtMs = Math.ceil((now.getTime() + lifetimeMs) / MS_PER_SECOND) * MS_PER_SECOND;
  return { expiresAt: new Date(expiresAtMs), lifetimeStartsAt: new Date(expiresAtMs - lifetimeMs) };
}
