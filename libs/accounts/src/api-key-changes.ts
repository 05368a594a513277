import { createApiKeySecret, type KeyHasher } from '@farebox/auth';
import type { Prisma } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { expiryAfterRotation, requireFuture } from './api-key-expiry';
import { findApiKey, secretColumns, type ApiKey, type ApiKeySettings, type RequireOffered } from './api-keys';
import { fromModelPolicy } from './model-policy';
import type { Accounts } from './open-accounts';

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
