import type { NanoUsd } from '@farebox/money';
import { lockAccount, setColumns } from './accounts';
import type { Accounts } from './open-accounts';

/** What an account may do in a UTC day. */
interface DailyCaps {
  dailyRequestCap: number;
  dailySpendCapNano: bigint;
}

/** What may be left of its requests before anything was delivered, in a UTC day; null: a part of the daily caps. */
interface OwnAllowance {
  dailyAbandonedRequests: number | null;
  dailyAbandonmentNano: bigint | null;
}

/** A group of accounts: their daily caps, and who sees which model. */
export interface Cohort extends DailyCaps, OwnAllowance {
  name: string;
}

/** All cohorts with the number of their accounts, by name. */
export async function listCohorts({ prisma }: Accounts): Promise<(Cohort & { accounts: number })[]> {
  const found = await prisma.cohort.findMany({
    orderBy: { name: 'asc' },
    include: { _count: { select: { accounts: true } } },
  });
  return found.map(({ _count: { accounts }, ...cohort }) => ({ ...cohort, accounts }));
}

/**
 * Makes a cohort, or gives the one that is there other daily caps; what is not given of the allowance stays. To be called in
 * a transaction. Answers with the cohort before, if it was there.
 */
export async function putCohort(
  { prisma }: Accounts,
  { name, ...caps }: Omit<Cohort, keyof OwnAllowance> & Partial<OwnAllowance>,
): Promise<Cohort | undefined> {
  await prisma.$queryRaw`SELECT name FROM cohort WHERE name = ${name} FOR NO KEY UPDATE`;
  const before = await prisma.cohort.findUnique({ where: { name } });
  await prisma.cohort.upsert({ where: { name }, create: { name, ...caps }, update: caps });
  return before ?? undefined;
}

/**
 * Puts an account into another cohort, whose daily caps and models it has from the next request on. To be called in a
 * transaction. `moved` is false if there is no such cohort: nothing changed. Answers with the cohort before;
 * `undefined` if there is no such account.
 */
export async function moveToCohort(
  accountId: string,
  accounts: Accounts,
  cohort: string,
): Promise<{ before: string; moved: boolean } | undefined> {
  const account = await lockAccount(accountId, accounts);
  if (!account) return undefined;
  const moved = (await accounts.prisma.cohort.count({ where: { name: cohort } })) === 1;
  if (moved) await setColumns(accountId, accounts, { cohortName: cohort });
  return { before: account.cohortName, moved };
}

/** An account's own daily caps, null if it has none, and those of its cohort. */
export interface AccountCaps extends OwnAllowance {
  dailyRequestCap: number | null;
  dailySpendCapNano: bigint | null;
  cohort: DailyCaps & OwnAllowance;
}

interface CapsInForce extends DailyCaps {
  dailyAbandonedRequests: number;
  dailyAbandonmentNano: bigint;
}

/**
 * What counts: an account's own cap, else its cohort's; of the allowance else a tenth of the requests and a fifth of the
 * spending, as `ledger_daily_abandoned_requests` and `ledger_daily_abandonment_nano` say it.
 */
export function capsInForce({ cohort, ...own }: AccountCaps): CapsInForce {
  const dailyRequestCap = own.dailyRequestCap ?? cohort.dailyRequestCap;
  const dailySpendCapNano = own.dailySpendCapNano ?? cohort.dailySpendCapNano;
  return {
    dailyRequestCap,
    dailySpendCapNano,
    dailyAbandonedRequests:
      own.dailyAbandonedRequests ??
      cohort.dailyAbandonedRequests ??
      Math.max(Math.floor(dailyRequestCap / 10), 1),
    dailyAbandonmentNano: own.dailyAbandonmentNano ?? cohort.dailyAbandonmentNano ?? dailySpendCapNano / 5n,
  };
}

/**
 * Sets those of an account's own caps that are given; null gives it its cohort's again. To be called in a transaction.
 * Answers `undefined` if there is no such account.
 */
export async function changeCaps(
  accountId: string,
  accounts: Accounts,
  given: {
    dailyRequestCap?: number | null;
    dailySpendCapNano?: NanoUsd | null;
    dailyAbandonedRequests?: number | null;
    dailyAbandonmentNano?: NanoUsd | null;
  },
): Promise<{ before: AccountCaps; after: AccountCaps } | undefined> {
  const before = await lockAccount(accountId, accounts);
  if (!before) return undefined;
  await setColumns(accountId, accounts, given);
  return { before, after: { ...before, ...given } };
}
