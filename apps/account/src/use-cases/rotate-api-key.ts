import { secretColumns } from '@farebox/accounts';
import { createApiKeySecret, type KeyHasher } from '@farebox/auth';
import type { PrismaClient } from '@farebox/database';
import { expiryAfterRotation, requireFuture } from './api-key-expiry';
import { changeApiKey } from './change-api-key';
import type { OwnedApiKey } from './owned-api-keys';

/**
 * Replaces the secret of a key, which keeps its id and its history. The old secret ends with the commit.
 * Throws `api_key_not_found`, `api_key_revoked` and, for an expiry in the past, `invalid_request_error`.
 */
export async function rotateApiKey(
  accountId: string,
  { prisma, hasher }: { prisma: PrismaClient; hasher: KeyHasher },
  apiKeyId: string,
  requestedExpiry: Date | null | undefined,
  now: Date,
): Promise<{ secret: string; key: OwnedApiKey }> {
  const secret = createApiKeySecret();
  const columns = secretColumns(secret, hasher.hash(secret), now);
  const key = await changeApiKey(
    accountId,
    prisma,
    apiKeyId,
    (apiKey) => {
      requireFuture(requestedExpiry, now);
      return { ...columns, ...expiryAfterRotation(apiKey, requestedExpiry, now) };
    },
    now,
  );
  return { secret, key };
}
