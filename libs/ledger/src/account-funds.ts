import { uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import { toNanoUsd, type NanoUsd } from '@farebox/money';

export interface Balance {
  balanceNano: NanoUsd;
  /** Held for running requests. */
  heldNano: NanoUsd;
  availableNano: NanoUsd;
}

export interface TopUp {
  /** The id of the entry, if the caller needs to know it first. */
  fundingId?: string;
  accountId: string;
  amountNano: NanoUsd;
  /** How it was paid, e.g. `manual`. */
  method: string;
  /** Identifies the payment. A second top-up with the same reference changes nothing. */
  reference: string;
}

export interface Adjustment {
  /** The id of the entry, if the caller needs to know it first. */
  adjustmentId?: string;
  accountId: string;
  /** Positive: credited to the customer. Negative: taken. Never zero. */
  amountNano: NanoUsd;
  reason: string;
  /** Identifies the correction. A second adjustment with the same reference changes nothing. */
  reference: string;
  /** The operator who made it. */
  madeBy: string;
}

/** The reference of a top-up or an adjustment was used before, for another account or another amount. */
export class ReferenceTakenError extends Error {
  constructor(reference: string) {
    super(`The reference ${reference} was used for another account or another amount.`);
    this.name = 'ReferenceTakenError';
  }
}

/** An adjustment would take more from an account than is available. */
export class InsufficientFundsError extends Error {
  constructor(accountId: string) {
    super(`Less than that is available on account ${accountId}.`);
    this.name = 'InsufficientFundsError';
  }
}

/** The account of a money movement does not exist. */
export class NoSuchAccountError extends Error {
  constructor(accountId: string) {
    super(`There is no account ${accountId}.`);
    this.name = 'NoSuchAccountError';
  }
}

/** Gives a new account its place in the ledger. Belongs into the transaction that creates the account. */
export async function openAccountFunds(client: Queryable, accountId: string): Promise<void> {
  await client.query('SELECT ledger_open_account($1)', [accountId]);
}

/**
 * Credits an account, once for each reference. `created` says whether this call did it.
 * Throws `ReferenceTakenError` and `NoSuchAccountError`.
 */
export async function topUp(
  pool: Queryable,
  { fundingId = uuidV7(), accountId, amountNano, method, reference }: TopUp,
): Promise<{ fundingId: string; balanceAfterNano: NanoUsd; created: boolean }> {
  const { id, ...rest } = await moveOnce(
    pool,
    'SELECT funding_id AS id, created, balance_after_nano::text FROM ledger_top_up($1, $2, $3, $4, $5)',
    [fundingId, accountId, amountNano, method, reference],
    { accountId, reference },
  );
  return { fundingId: id, ...rest };
}

/**
 * Corrects a balance by hand, once for each reference. `created` says whether this call did it.
 * Throws `InsufficientFundsError` if more would be taken than is available, `ReferenceTakenError` and
 * `NoSuchAccountError`.
 */
export async function adjustBalance(
  pool: Queryable,
  { adjustmentId = uuidV7(), accountId, amountNano, reason, reference, madeBy }: Adjustment,
): Promise<{ adjustmentId: string; balanceAfterNano: NanoUsd; created: boolean }> {
  const { id, ...rest } = await moveOnce(
    pool,
    'SELECT adjustment_id AS id, created, balance_after_nano::text FROM ledger_adjust($1, $2, $3, $4, $5, $6)',
    [adjustmentId, accountId, amountNano, reason, reference, madeBy],
    { accountId, reference },
  );
  return { adjustmentId: id, ...rest };
}

async function moveOnce(
  pool: Queryable,
  sql: string,
  values: unknown[],
  { accountId, reference }: { accountId: string; reference: string },
): Promise<{ id: string; balanceAfterNano: NanoUsd; created: boolean }> {
  try {
    const { rows } = await pool.query<{ id: string; created: boolean; balance_after_nano: string }>(
      sql,
      values,
    );
    const [row] = rows;
    if (!row) throw new Error('the ledger answered no row');
    const { id, created, balance_after_nano } = row;
    return { id, balanceAfterNano: toNanoUsd(BigInt(balance_after_nano)), created };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'FB001') throw new ReferenceTakenError(reference);
    // 23503: the record's foreign key to its account.
    if (code === 'FB002' || code === '23503') throw new NoSuchAccountError(accountId);
    if (code === 'FB003') throw new InsufficientFundsError(accountId);
    throw error;
  }
}

/** Throws `NoSuchAccountError`. */
export async function readBalance(pool: Queryable, accountId: string): Promise<Balance> {
  const { rows } = await pool.query<{ balance_nano: string; held_nano: string }>({
    name: 'read_balance',
    text: 'SELECT balance_nano::text, held_nano::text FROM account_funds WHERE account_id = $1',
    values: [accountId],
  });
  const [row] = rows;
  if (!row) throw new NoSuchAccountError(accountId);
  const balanceNano = toNanoUsd(BigInt(row.balance_nano));
  const heldNano = toNanoUsd(BigInt(row.held_nano));
  return { balanceNano, heldNano, availableNano: toNanoUsd(balanceNano - heldNano) };
}

export interface Spending {
  /** Requests admitted on the UTC day, what they cost, and what is held for them. */
  dayRequests: number;
  daySpentNano: NanoUsd;
  dayHeldNano: NanoUsd;
  /** Cost of the requests admitted in the UTC month. */
  monthSpentNano: NanoUsd;
}

/** An account's use of its daily caps, and of the month, on the UTC day of `now`. */
export async function readSpending(pool: Queryable, accountId: string, now: Date): Promise<Spending> {
  const { rows } = await pool.query<Record<keyof Spending, string>>(
    `SELECT coalesce(sum(requests) FILTER (WHERE day = today), 0) AS "dayRequests",
            coalesce(sum(spent_nano) FILTER (WHERE day = today), 0)::text AS "daySpentNano",
            coalesce(sum(held_nano) FILTER (WHERE day = today), 0)::text AS "dayHeldNano",
            coalesce(sum(spent_nano), 0)::text AS "monthSpentNano"
     FROM account_day, (SELECT ($2::timestamptz AT TIME ZONE 'UTC')::date AS today) d
     WHERE account_id = $1 AND day BETWEEN date_trunc('month', today) AND today`,
    [accountId, now],
  );
  const [row] = rows;
  const nanoOf = (text: string | undefined): NanoUsd => toNanoUsd(BigInt(text ?? 0));
  return {
    dayRequests: Number(row?.dayRequests ?? 0),
    daySpentNano: nanoOf(row?.daySpentNano),
    dayHeldNano: nanoOf(row?.dayHeldNano),
    monthSpentNano: nanoOf(row?.monthSpentNano),
  };
}

/** An account's debt: the parts of reversed payments that its balance did not cover. */
export async function readOwed(pool: Queryable, accountId: string): Promise<NanoUsd> {
  const { rows } = await pool.query<{ owed_nano: string }>(
    `SELECT coalesce(sum(amount_nano - taken_nano), 0)::text AS owed_nano FROM reversal
     WHERE account_id = $1 AND taken_nano < amount_nano`,
    [accountId],
  );
  return toNanoUsd(BigInt(rows[0]?.owed_nano ?? 0));
}

/**
 * Takes an account's debt from the amount that is available by now. Top-ups and adjustments do it by themselves; this
 * is for amounts that became available since, by the release of a hold. Returns the remaining debt.
 */
export async function collectOwed(pool: Queryable, accountId: string): Promise<NanoUsd> {
  const { rows } = await pool.query<{ owed_nano: string }>(
    'SELECT ledger_collect_owed($1)::text AS owed_nano',
    [accountId],
  );
  return toNanoUsd(BigInt(rows[0]?.owed_nano ?? 0));
}

/**
 * Refunds a charge, once, that was recorded after its client had been told that it failed: the answer was whole, and
 * withheld from them. Not if their Idempotency-Key gets it for them, nor if an operator or the policy has charged it.
 * Returns whether this call did it.
 */
export async function refundWithheldAnswer(pool: Queryable, chargeId: string): Promise<boolean> {
  const { rows } = await pool.query<{ refunded: boolean }>(
    'SELECT ledger_refund_withheld($1, $2) AS refunded',
    [uuidV7(), chargeId],
  );
  return rows[0]?.refunded === true;
}

/**
 * Counts on the account's allowance, once, the cost of a stream beyond its charge, whose client left early. Returns
 * whether this call did it.
 */
export async function countUnpaid(pool: Queryable, chargeId: string, costNano: NanoUsd): Promise<boolean> {
  const { rows } = await pool.query<{ counted: boolean }>({
    name: 'ledger_count_unpaid',
    text: 'SELECT ledger_count_unpaid($1, $2) AS counted',
    values: [chargeId, costNano],
  });
  return rows[0]?.counted === true;
}

/**
 * Refunds a charge, once, if nothing of its response was written to the client; with `unlessKept` only if a
 * repetition does not get it. It counts on the account's allowance of abandoned requests. Returns whether this call
 * did it.
 */
export async function refundLostResponse(
  pool: Queryable,
  chargeId: string,
  { unlessKept }: { unlessKept: boolean },
): Promise<boolean> {
  const { rows } = await pool.query<{ refunded: boolean }>({
    name: 'ledger_refund_lost',
    text: 'SELECT ledger_refund_lost($1, $2, $3) AS refunded',
    values: [uuidV7(), chargeId, unlessKept],
  });
  return rows[0]?.refunded === true;
}
