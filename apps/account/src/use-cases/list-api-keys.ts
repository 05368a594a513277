import type { PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { findOwnedApiKeys, type OwnedApiKey } from './owned-api-keys';

/** A page of the account's keys, and one more where there is one. Throws for a cursor that is no key of the account. */
export async function listApiKeys(
  accountId: string,
  prisma: PrismaClient,
  { limit, afterId }: { limit: number; afterId: string | undefined },
  now: Date,
): Promise<OwnedApiKey[]> {
  if (afterId !== undefined && !(await prisma.apiKey.findFirst({ where: { accountId, id: afterId } }))) {
    throw new ApiError('invalid_request_error', {
      param: 'after',
      message: "'after' must be the id of a key of yours.",
    });
  }
  return findOwnedApiKeys(accountId, prisma, { afterId, count: limit + 1 }, now);
}
