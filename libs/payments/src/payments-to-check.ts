import type pg from 'pg';

/** How many of Stripe's events did not match the checkout of this account that they named: nothing moved for them. */
export async function countPaymentsToCheck(pool: Pick<pg.Pool, 'query'>, accountId: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM stripe_event e
     JOIN checkout c ON c.id = e.checkout_id OR c.stripe_payment_intent_id = e.payment_intent_id
     WHERE c.account_id = $1 AND e.outcome = 'mismatched'`,
    [accountId],
  );
  return rows[0]?.count ?? 0;
}
