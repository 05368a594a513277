import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';

/** A top-up as its account sees it. Has the id of its ledger entry. */
export interface Funding {
  id: string;
  /** How it was paid, e.g. `manual` or `card`. */
  method: string;
  amountNano: NanoUsd;
  createdAt: Date;
}

interface FundingRow {
  id: string;
  method: string;
  amount_nano: string;
  created_at: Date;
}

/**
 * An account's top-ups, newest first: those before the top-up `afterId`. An id that is not the account's own gives an
 * empty page.
 */
export async function listFundings(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { afterId, limit }: { afterId?: string | undefined; limit: number },
): Promise<Funding[]> {
  const { rows } = await pool.query<FundingRow>(
    `SELECT id, method, amount_nano::text, created_at FROM funding
     WHERE account_id = $1
       AND ($2::uuid IS NULL OR id < (SELECT id FROM funding WHERE id = $2 AND account_id = $1))
     ORDER BY id DESC LIMIT $3`,
    [accountId, afterId ?? null, limit],
  );
  return rows.map(({ id, method, amount_nano, created_at }) => ({
    id,
    method,
    amountNano: toNanoUsd(BigInt(amount_nano)),
    createdAt: created_at,
  }));
}

/** Whether a top-up is the account's. */
export async function ownsFunding(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  fundingId: string,
): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM funding WHERE account_id = $1 AND id = $2', [
    accountId,
    fundingId,
  ]);
  return rowCount === 1;
}
