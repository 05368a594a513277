import type { PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { listEntries, type LedgerEntry, type LedgerEntryKind } from '@farebox/ledger';
import type { Pool } from 'pg';

export interface TransactionPage {
  limit: number;
  afterId: string | undefined;
  kind: LedgerEntryKind | undefined;
  /** From this time on. */
  start: Date | undefined;
  /** Until before this time. */
  end: Date | undefined;
}

/** A page of the account's ledger, and one more entry where there is one. Throws for a cursor of another ledger. */
export async function listTransactions(
  accountId: string,
  { pool, prisma }: { pool: Pool; prisma: PrismaClient },
  { limit, afterId, ...filters }: TransactionPage,
): Promise<LedgerEntry[]> {
  if (afterId !== undefined && !(await prisma.ledgerEntry.findFirst({ where: { accountId, id: afterId } }))) {
    throw new ApiError('invalid_request_error', {
      param: 'after',
      message: "'after' must be the id of a transaction of yours.",
    });
  }
  return listEntries(pool, accountId, { limit: limit + 1, afterId, ...filters });
}
