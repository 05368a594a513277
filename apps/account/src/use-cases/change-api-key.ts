import type { ApiKey, PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { findOwnedApiKey, type OwnedApiKey } from './owned-api-keys';

/** What may change of a key. Its id, its account and its history never do. */
export type ApiKeyChange = Partial<Omit<ApiKey, 'id' | 'accountId' | 'version' | 'revokedAt' | 'createdAt'>>;

/** Changes of one key at the same moment; each of them but one looks again. */
const MAX_ATTEMPTS = 5;

/**
 * Changes a key that is not revoked, by what `decide` makes of it. The version is raised, so that the next request on
 * any gateway is decided on the new settings. Throws `api_key_not_found`, `api_key_revoked` and what `decide` throws.
 */
export async function changeApiKey(
  accountId: string,
  prisma: PrismaClient,
  apiKeyId: string,
  decide: (apiKey: ApiKey) => Promise<ApiKeyChange> | ApiKeyChange,
  now: Date,
): Promise<OwnedApiKey> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const before = await findOwnedApiKey(accountId, prisma, apiKeyId, now);
    if (before.apiKey.revokedAt !== null) throw new ApiError('api_key_revoked');
    const change = await decide(before.apiKey);

    // The version makes it a compare-and-set: what was decided on is still there, and nobody revoked.
    const [apiKey] = await prisma.apiKey.updateManyAndReturn({
      where: { accountId, id: apiKeyId, version: before.apiKey.version, revokedAt: null },
      data: { ...change, version: { increment: 1 } },
    });
    if (apiKey) return { ...before, apiKey };
  }
  throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
}
