import type { PrismaClient } from '@farebox/database';
import { findOwnedApiKey, type OwnedApiKey } from './owned-api-keys';

/**
 * Ends a key for good: once this has answered, no request with it is admitted. A key that is revoked already stays
 * as it is. Throws `api_key_not_found`.
 */
export async function revokeApiKey(
  accountId: string,
  prisma: PrismaClient,
  apiKeyId: string,
  now: Date,
): Promise<OwnedApiKey> {
  await prisma.apiKey.updateMany({
    where: { accountId, id: apiKeyId, revokedAt: null },
    data: { revokedAt: now, version: { increment: 1 } },
  });
  return findOwnedApiKey(accountId, prisma, apiKeyId, now);
}
