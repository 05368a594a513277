import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';

type Queryable = Pick<pg.Pool, 'query'>;

/** What an account owes: the parts of payments that were taken back and that its balance did not cover. */
export async function readOwed(pool: Queryable, accountId: string): Promise<NanoUsd> {
  const { rows } = await pool.query<{ owed_nano: string }>(
    `SELECT coalesce(sum(amount_nano - taken_nano), 0)::text AS owed_nano FROM reversal
     WHERE account_id = $1 AND taken_nano < amount_nano`,
    [accountId],
  );
  return toNanoUsd(BigInt(rows[0]?.owed_nano ?? 0));
}

/**
 * Takes what an account owes from what is available by now. Top-ups and adjustments do it by themselves; this is for
 * what became available since, by the release of a hold. Answers what is still owed.
 */
export async function collectOwed(pool: Queryable, accountId: string): Promise<NanoUsd> {
  const { rows } = await pool.query<{ owed_nano: string }>(
    'SELECT ledger_collect_owed($1)::text AS owed_nano',
    [accountId],
  );
  return toNanoUsd(BigInt(rows[0]?.owed_nano ?? 0));
}
