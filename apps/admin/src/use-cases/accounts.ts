import type { Account, Cohort, PrismaClient } from '@farebox/database';
import { toPublicId } from '@farebox/ids';
import { CommandFailure } from '../command-failure';

export type AccountWithCohort = Account & { cohort: Cohort };

/** Throws `CommandFailure` where there is no such account. */
export async function requireAccount(accountId: string, prisma: PrismaClient): Promise<AccountWithCohort> {
  const account = await prisma.account.findUnique({ where: { id: accountId }, include: { cohort: true } });
  if (!account) throw noSuchAccount(accountId);
  return account;
}

export function noSuchAccount(accountId: string): CommandFailure {
  return new CommandFailure(`There is no account ${toPublicId('acct', accountId)}.`);
}
