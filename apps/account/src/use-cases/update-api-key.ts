import { fromModelPolicy, type ModelPolicy } from '@farebox/accounts';
import type { PrismaClient } from '@farebox/database';
import type { NanoUsd } from '@farebox/money';
import type { Pool } from 'pg';
import { requireFuture } from './api-key-expiry';
import { changeApiKey, type ApiKeyChange } from './change-api-key';
import type { OwnedApiKey } from './owned-api-keys';
import { requireOfferedModels } from './require-offered-models';

/** Settings of a key. `undefined` stays as it is, `null` is taken away. */
export interface ApiKeyUpdate {
  name: string | undefined;
  monthlySpendLimitNano: NanoUsd | null | undefined;
  expiresAt: Date | null | undefined;
  modelPolicy: ModelPolicy | null | undefined;
}

/**
 * Changes settings of a key that is not revoked; one that has expired lives again where its expiry is moved or taken
 * away. Throws `api_key_not_found`, `api_key_revoked`, and `invalid_request_error` for an expiry in the past or a model
 * that the account may not use.
 */
export function updateApiKey(
  accountId: string,
  clients: { pool: Pool; prisma: PrismaClient },
  apiKeyId: string,
  update: ApiKeyUpdate,
  now: Date,
): Promise<OwnedApiKey> {
  return changeApiKey(
    accountId,
    clients.prisma,
    apiKeyId,
    async (apiKey) => {
      requireFuture(update.expiresAt, now);
      await requireOfferedModels(accountId, clients, update.modelPolicy, apiKey.modelPolicyModels);
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
