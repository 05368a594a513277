import type pg from 'pg';

const SWEEP_BATCH = 500;
const FORGET_BATCH = 1_000;
/** Each has up to a thousand parts. */
const FORGET_PARTS_BATCH = 20;
/** Long enough after its lease that a stopped gateway's row is of no use to anybody who looks for a cause. */
const FORGET_AFTER = '1 day';

/**
 * Releases the holds of gateways that stopped renewing their lease, each with a review record, and forgets gateways
 * that have long been gone. Answers with the number of holds released.
 */
export async function sweepAbandonedHolds(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  let released = 0;
  for (;;) {
    const { rows } = await pool.query<{ swept: number }>('SELECT ledger_sweep($1) AS swept', [SWEEP_BATCH]);
    const swept = rows[0]?.swept ?? 0;
    released += swept;
    if (swept === 0) break;
  }
  await pool.query('SELECT ledger_forget_gateways($1::interval)', [FORGET_AFTER]);
  return released;
}

/** Deletes the answers that were kept for repeated requests and have had their time. Answers with their number. */
export async function forgetAnswers(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  await forgetParts(pool);
  let forgotten = 0;
  for (;;) {
    const { rows } = await pool.query<{ count: number }>('SELECT ledger_forget_answers($1) AS count', [
      FORGET_BATCH,
    ]);
    const count = rows[0]?.count ?? 0;
    forgotten += count;
    if (count < FORGET_BATCH) return forgotten;
  }
}

/** Parts of answers that have had their time, or were never charged. */
async function forgetParts(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ count: number }>('SELECT ledger_forget_kept_parts($1) AS count', [
      FORGET_PARTS_BATCH,
    ]);
    if ((rows[0]?.count ?? 0) < FORGET_PARTS_BATCH) return;
  }
}
