import type { PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { listFundings, type Funding } from '@farebox/ledger';
import type { Pool } from 'pg';

/** A page of the account's top-ups, and one more where there is one. Throws for a cursor that is none of them. */
export async function listOwnFundings(
  accountId: string,
  { pool, prisma }: { pool: Pool; prisma: PrismaClient },
  { limit, afterId }: { limit: number; afterId: string | undefined },
): Promise<Funding[]> {
  if (afterId !== undefined && !(await prisma.funding.findFirst({ where: { accountId, id: afterId } }))) {
    throw new ApiError('invalid_request_error', {
      param: 'after',
      message: "'after' must be the id of a top-up of yours.",
    });
  }
  return listFundings(pool, accountId, { limit: limit + 1, afterId });
}
