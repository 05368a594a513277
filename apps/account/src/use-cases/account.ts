import { readCohortName, readOwnAccount, type OwnAccount } from '@farebox/accounts';
import { listAccessibleModels, type Model } from '@farebox/catalog';
import { ApiError } from '@farebox/errors';
import { DAY_MS, HOUR_MS } from '@farebox/flow';
import { floorTo, readAccountLimits, readUsage, type AccountLimit, type UsageTotals } from '@farebox/ledger';
import { toNanoUsd, ZERO_NANO, type NanoUsd } from '@farebox/money';
import type { Sources } from './sources';
import { sumOf } from './usage';

/** An account, with its usage of the day and the month. */
export interface AccountState {
  account: OwnAccount;
  /** Zero if the cap was lowered below the usage. */
  left: { requests: number; spendNano: NanoUsd };
  dayEndsAt: Date;
  month: UsageTotals;
  monthStartsAt: Date;
}

/** The account, with its day as the caps count it and its month as its usage does. */
export async function readAccountState(
  accountId: string,
  { pool, accounts }: Sources,
  now: Date,
): Promise<AccountState> {
  const monthStartsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const range = { from: monthStartsAt, to: new Date(floorTo(HOUR_MS, now).getTime() + HOUR_MS) };
  // In parallel: neither needs the other's result.
  const [account, days] = await Promise.all([
    readOwnAccount(accountId, accounts, now),
    readUsage(pool, accountId, { range, groupBy: 'day' }),
  ]);
  const spendLeft = account.dailySpendCapNano - account.dayCommittedNano;
  return {
    account,
    left: {
      requests: Math.max(0, account.dailyRequestCap - account.dayRequests),
      spendNano: spendLeft > 0n ? toNanoUsd(spendLeft) : ZERO_NANO,
    },
    dayEndsAt: new Date(floorTo(DAY_MS, now).getTime() + DAY_MS),
    month: sumOf(days),
    monthStartsAt,
  };
}

/** The limits that operators have set for the account and its live keys. */
export function listOwnLimits(accountId: string, { pool }: Sources): Promise<AccountLimit[]> {
  return readAccountLimits(pool, accountId);
}

/**
 * The models that the account may use, in the catalogue's order; a key's own list may exclude some of them.
 */
export async function listOfferedModels(
  accountId: string,
  { accounts, readCatalog }: Sources,
): Promise<Model[]> {
  const cohortName = await readCohortName(accountId, accounts);
  return listAccessibleModels(await readCatalog(), { cohortName, modelPolicy: null });
}

/**
 * Throws `invalid_request_error` for a cursor that does not belong to the account: `noun` says what it must
 * be.
 */
export async function requireCursor(
  accountId: string,
  after: string | undefined,
  owns: (accountId: string, after: string) => Promise<boolean>,
  noun: string,
): Promise<void> {
  if (after === undefined || (await owns(accountId, after))) return;
  throw new ApiError('invalid_request_error', {
    param: 'after',
    message: `'after' must be the ${noun} of yours.`,
  });
}
