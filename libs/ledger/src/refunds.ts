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
 * piece, and withheld from him. Not where his Idempotency-Key gets it for him, nor where an operator or the policy has
 * charged it. Answers whether this call did it.
 */
export async function refundWithheldAnswer(pool: Queryable, chargeId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM usage_record u
     WHERE u.id = $1 AND NOT u.streamed
       AND NOT EXISTS (SELECT FROM billing_review r WHERE r.id = u.id AND r.reason = 'charge_failed')
       AND NOT EXISTS (SELECT FROM idempotency_claim c
                       WHERE c.api_key_id = u.api_key_id AND c.hold_id = u.id AND c.state = 'answered')`,
    [chargeId],
  );
  return rowCount === 1 && (await refundCharge(pool, chargeId));
}
