import { uuidV7 } from '@farebox/auth';
import { toNanoUsd } from '@farebox/money';
import { givenAccount, givenApiKey } from '@farebox/testing';
import type pg from 'pg';
import { apply } from '../model/ledger-model';
import { EMPTY_LEDGER, withValue, type LedgerState } from '../model/state';
import type { GeneratedAccount, GeneratedApiKey, GeneratedRun } from './generated-run';

/** The accounts, the keys and the gateway of a run. */
export interface Stage {
  accountIds: string[];
  apiKeyIds: string[];
  /** A gateway that may be lost and return. */
  gatewayId: string;
  /** The model of the set-up. */
  state: LedgerState;
  /** The UTC day of the set-up. A run that ends on another day is discarded. */
  date: string;
}

/** The cohort of every account. */
const COHORT = { dailyRequestCap: 10_000, dailySpendCapNano: toNanoUsd(100_000_000_000n) };

export async function setUpStage(pool: pg.Pool, run: GeneratedRun): Promise<Stage> {
  const gatewayId = uuidV7();
  const [date, accountIds] = await Promise.all([
    startGateway(pool, gatewayId),
    Promise.all(run.accounts.map((account) => givenAccount(pool, account))),
  ]);
  const owners = run.apiKeys.map(({ account }) => accountIds[account % accountIds.length] ?? '');
  const apiKeyIds = await Promise.all(
    run.apiKeys.map((apiKey, i) => givenApiKey(pool, owners[i] ?? '', apiKey)),
  );
  let state = EMPTY_LEDGER;
  run.accounts.forEach((account, i) => {
    state = withAccount(state, accountIds[i] ?? '', account);
  });
  run.apiKeys.forEach((apiKey, i) => {
    state = withApiKey(state, apiKeyIds[i] ?? '', owners[i] ?? '', apiKey);
  });
  return { accountIds, apiKeyIds, gatewayId, state, date };
}

async function startGateway(pool: pg.Pool, gatewayId: string): Promise<string> {
  const { rows } = await pool.query<{ date: string }>(
    `SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date::text AS date FROM ledger_renew_lease($1, interval '1 day')`,
    [gatewayId],
  );
  return rows[0]?.date ?? '';
}

/** The current UTC day of the database. */
export async function readDate(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ date: string }>(
    `SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date::text AS date`,
  );
  return rows[0]?.date ?? '';
}

function withAccount(state: LedgerState, accountId: string, account: GeneratedAccount): LedgerState {
  const { dailyRequestCap, dailySpendCapNano, balanceNano } = account;
  const accounts = withValue(state.accounts, accountId, {
    inviteStatus: 'active',
    cohortName: 'beta',
    dailyRequestCap: dailyRequestCap ?? COHORT.dailyRequestCap,
    dailySpendCapNano:
      dailySpendCapNano === undefined ? COHORT.dailySpendCapNano : toNanoUsd(dailySpendCapNano),
    // The value without a number of the account or its cohort.
    dailyAbandonedRequests:
      account.dailyAbandonedRequests ??
      Math.max(Math.floor((dailyRequestCap ?? COHORT.dailyRequestCap) / 10), 1),
    // An account with its own cap has the same: givenAccount.
    dailyAbandonmentNano: toNanoUsd(
      account.dailyAbandonmentNano ?? dailySpendCapNano ?? COHORT.dailySpendCapNano / 5n,
    ),
    entries: [],
  });
  const opened = { ...state, accounts };
  if (balanceNano === 0n) return opened;
  const topUp = {
    accountId,
    amountNano: toNanoUsd(balanceNano),
    method: 'manual',
    reference: `given-${accountId}`,
  };
  return apply(opened, { kind: 'topUp', topUp }).state;
}

function withApiKey(
  state: LedgerState,
  apiKeyId: string,
  accountId: string,
  { monthlySpendLimitNano }: GeneratedApiKey,
): LedgerState {
  const apiKeys = withValue(state.apiKeys, apiKeyId, {
    accountId,
    isRevoked: false,
    isExpired: false,
    version: 1,
    monthlySpendLimitNano: monthlySpendLimitNano === undefined ? undefined : toNanoUsd(monthlySpendLimitNano),
  });
  return { ...state, apiKeys };
}
