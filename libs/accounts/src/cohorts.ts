import type { NanoUsd } from '@farebox/money';
import { lockAccount, setColumns } from './accounts';
import type { Accounts } from './open-accounts';

/** Limits of an account per UTC day. */
interface DailyCaps {
  dailyRequestCap: number;
  dailySpendCapNano: bigint;
}

/**
 * Limits per UTC day for requests that the client abandons before any output; null: a share of the daily
 * caps.
 */
interface OwnAllowance {
  dailyAbandonedRequests: number | null;
  dailyAbandonmentNano: bigint | null;
}

/** A group of accounts with its daily caps. Models can be offered to cohorts. */
export interface Cohort extends DailyCaps, OwnAllowance {
  name: string;
}

/** All cohorts with the number of their accounts, ordered by name. */
export async function listCohorts({ prisma }: Accounts): Promise<(Cohort & { accounts: number })[]> {
  const found = await prisma.cohort.findMany({
    orderBy: { name: 'asc' },
    include: { _count: { select: { accounts: true } } },
  });
  return found.map(({ _count: { accounts }, ...cohort }) => ({ ...cohort, accounts }));
}

/**
 * Creates a cohort, or changes the daily caps of an existing one; omitted values of the allowance stay. Call
 * it in a transaction. Returns the former cohort if it existed.
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
 * Moves an account to another cohort, whose daily caps and models apply from the next request on. Call it in
 * a transaction. `moved` is false if there is no such cohort; nothing changed then. Returns the former
 * cohort, or `undefined` if there is no such account.
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

/** An account's own daily caps, null where it has none, and those of its cohort. */
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
 * The effective caps: an account's own, or its cohort's. The allowance defaults to a tenth of the requests
 * and a fifth of the spending, as in `ledger_daily_abandoned_requests` and `ledger_daily_abandonment_nano`.
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
 * Sets the given caps of an account; null restores its cohort's cap. Call it in a transaction. Returns
 * `undefined` if there is no such account.
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
