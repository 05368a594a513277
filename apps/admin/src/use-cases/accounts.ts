import type { Account, Cohort, PrismaClient } from '@farebox/database';
import { toPublicId } from '@farebox/ids';
import type { Pool } from 'pg';
import { CommandFailure } from '../command-failure';

export type AccountWithCohort = Account & { cohort: Cohort };

/** Throws `CommandFailure` where there is no such account. */
export async function requireAccount(accountId: string, prisma: PrismaClient): Promise<AccountWithCohort> {
  const account = await prisma.account.findUnique({ where: { id: accountId }, include: { cohort: true } });
  if (!account) throw noSuchAccount(accountId);
  return account;
}

/** Throws `CommandFailure` where there is no such account. */
export async function requireAccountId(accountId: string, db: Pick<Pool, 'query'>): Promise<void> {
  const { rowCount } = await db.query('SELECT FROM account WHERE id = $1', [accountId]);
  if (rowCount !== 1) throw noSuchAccount(accountId);
}

export function noSuchAccount(accountId: string): CommandFailure {
  return new CommandFailure(`There is no account ${toPublicId('acct', accountId)}.`);
}
