import { toModelPolicy } from '@farebox/accounts';
import { toUnixSeconds, type ApiKeyRecord, type ApiKeyWithSecret } from '@farebox/contracts';
import type { ApiKey } from '@farebox/database';
import { fromPublicId, toPublicId } from '@farebox/ids';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import { apiKeyNotFound, type OwnedApiKey } from '../../use-cases/owned-api-keys';

/** The record of a key as it is at a time. */
export function toApiKeyRecord(
  { apiKey, lastUsedAt, monthlySpendNano }: OwnedApiKey,
  now: Date,
): ApiKeyRecord {
  return {
    object: 'api_key',
    key_public_id: toPublicId('key', apiKey.id),
    name: apiKey.name,
    hint: apiKey.hint,
    status: statusOf(apiKey, now),
    created_at: toUnixSeconds(apiKey.createdAt),
    expires_at: apiKey.expiresAt && toUnixSeconds(apiKey.expiresAt),
    revoked_at: apiKey.revokedAt && toUnixSeconds(apiKey.revokedAt),
    last_used_at: lastUsedAt && toUnixSeconds(lastUsedAt),
    monthly_spend_limit:
      apiKey.monthlySpendLimitNano === null ? null : toDecimalUsd(toNanoUsd(apiKey.monthlySpendLimitNano)),
    monthly_spend: toDecimalUsd(monthlySpendNano),
    currency: 'usd',
    model_policy: toModelPolicy(apiKey),
  };
}

/** The record with the secret, for the one answer that shows it. */
export function toApiKeyWithSecret(
  issued: { secret: string; key: OwnedApiKey },
  now: Date,
): ApiKeyWithSecret {
  return { ...toApiKeyRecord(issued.key, now), key: issued.secret };
}

/** The key that a path names. Throws what a missing key answers where it names none. */
export function readKeyPublicId(params: Readonly<Record<string, unknown>>): string {
  const text = params.key_public_id;
  const apiKeyId = typeof text === 'string' ? fromPublicId('key', text) : undefined;
  if (apiKeyId === undefined) throw apiKeyNotFound();
  return apiKeyId;
}

export function statusOf(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ApiKeyRecord['status'] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= now.getTime() ? 'expired' : 'active';
}
