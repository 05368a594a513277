import { uuidV7 } from '@farebox/ids';
import type pg from 'pg';

type Queryable = Pick<pg.Pool, 'query'>;

/** Gives a charge back, once. Answers whether this call did it. */
export async function refundCharge(pool: Queryable, chargeId: string): Promise<boolean> {
  const { rows } = await pool.query<{ refunded: boolean }>({
    name: 'ledger_refund',
    text: 'SELECT ledger_refund($1, $2) AS refunded',
    values: [uuidV7(), chargeId],
  });
  return rows[0]?.refunded === true;
}

/**
 * Gives a charge back, once, that was recorded after its client had been told that it was not: the answer was in one
 * piece, and withheld from them. Not if their Idempotency-Key gets it for them, nor if an operator or the policy has charged it. Answers whether this call did it.
 */
export async function refundWithheldAnswer(pool: Queryable, chargeId: string): Promise<boolean> {
  const { rows } = await pool.query<{ refunded: boolean }>(
    'SELECT ledger_refund_withheld($1, $2) AS refunded',
    [uuidV7(), chargeId],
  );
  return rows[0]?.refunded === true;
}
