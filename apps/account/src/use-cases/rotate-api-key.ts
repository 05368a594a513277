import { createApiKeySecret, secretColumns, type KeyHasher } from '@farebox/auth';
import type { PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { expiryAfterRotation, requireFuture } from './api-key-expiry';
import { findOwnedApiKey, type OwnedApiKey } from './owned-api-keys';

/** Rotations of one key at the same moment; each of them but one looks again. */
const MAX_ATTEMPTS = 5;

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
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const before = await findOwnedApiKey(accountId, prisma, apiKeyId, now);
    if (before.apiKey.revokedAt !== null) throw new ApiError('api_key_revoked');
    requireFuture(requestedExpiry, now);

    // The version makes it a compare-and-set: what the expiry was decided on is still there, and nobody revoked.
    const [apiKey] = await prisma.apiKey.updateManyAndReturn({
      where: { accountId, id: apiKeyId, version: before.apiKey.version, revokedAt: null },
      data: {
        ...secretColumns(secret, hasher.hash(secret), now),
        expiresAt: expiryAfterRotation(before.apiKey, requestedExpiry, now),
        version: { increment: 1 },
      },
    });
    if (apiKey) return { secret, key: { ...before, apiKey } };
  }
  throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
}
