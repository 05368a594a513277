import { issueApiKey, type ApiKeySettings, type KeyHasher } from '@farebox/auth';
import type { PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { ZERO_NANO } from '@farebox/money';
import { requireFuture } from './api-key-expiry';
import type { OwnedApiKey } from './owned-api-keys';

/** Keys of an account that are not revoked. A bound against a runaway script, not a promise to the last key. */
const MOST_LIVE_KEYS = 1_000;

/** Creates a key and hands out its secret, once. Throws `invalid_request_error`. */
export async function createApiKey(
  accountId: string,
  { prisma, hasher }: { prisma: PrismaClient; hasher: KeyHasher },
  settings: ApiKeySettings,
  now: Date,
): Promise<{ secret: string; key: OwnedApiKey }> {
  requireFuture(settings.expiresAt, now);
  if ((await prisma.apiKey.count({ where: { accountId, revokedAt: null } })) >= MOST_LIVE_KEYS) {
    throw new ApiError('invalid_request_error', {
      message: `The account has ${String(MOST_LIVE_KEYS)} API keys, which is the most. Revoke one that is not used.`,
    });
  }
  const { secret, apiKey } = await issueApiKey(accountId, prisma, hasher, settings, now);
  return { secret, key: { apiKey, lastUsedAt: null, monthlySpendNano: ZERO_NANO } };
}
