import { issueApiKey, type ApiKeySettings } from '@farebox/accounts';
import type { KeyHasher } from '@farebox/auth';
import type { PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { ZERO_NANO } from '@farebox/money';
import type { Pool } from 'pg';
import { requireFuture } from './api-key-expiry';
import type { OwnedApiKey } from './owned-api-keys';
import { requireOfferedModels } from './require-offered-models';
import { requirePace } from './require-pace';

/** Keys of an account that are not revoked. A bound against a runaway script, not a promise to the last key. */
const MOST_LIVE_KEYS = 1_000;
/** Likewise, and far above what an honest script needs that makes a key a run: revoked keys stay on record. */
const MOST_NEW_KEYS_A_DAY = 10_000;

/** Creates a key and hands out its secret, once. Throws `invalid_request_error` and `rate_limit_error`. */
export async function createApiKey(
  accountId: string,
  { pool, prisma, hasher }: { pool: Pool; prisma: PrismaClient; hasher: KeyHasher },
  settings: ApiKeySettings,
  now: Date,
): Promise<{ secret: string; key: OwnedApiKey }> {
  requireFuture(settings.expiresAt, now);
  await requireOfferedModels(accountId, { pool, prisma }, settings.modelPolicy, []);
  await requireRoomForKey(accountId, prisma, now);
  const { secret, apiKey } = await issueApiKey(accountId, prisma, hasher, settings, now);
  return { secret, key: { apiKey, lastUsedAt: null, monthlySpendNano: ZERO_NANO } };
}

async function requireRoomForKey(accountId: string, prisma: PrismaClient, now: Date): Promise<void> {
  if ((await prisma.apiKey.count({ where: { accountId, revokedAt: null } })) >= MOST_LIVE_KEYS) {
    throw new ApiError('invalid_request_error', {
      message: `The account has ${String(MOST_LIVE_KEYS)} API keys, which is the most. Revoke one that is not used.`,
    });
  }
  const earlier = await prisma.apiKey.findFirst({
    where: { accountId },
    orderBy: { id: 'desc' },
    skip: MOST_NEW_KEYS_A_DAY - 1,
  });
  requirePace(earlier?.createdAt, now, { mostADay: MOST_NEW_KEYS_A_DAY, plural: 'API keys' });
}
