import { uuidV7 } from '@farebox/ids';
import type { NanoUsd } from '@farebox/money';
import type pg from 'pg';

type Queryable = Pick<pg.Pool, 'query'>;

export interface Checkout {
  id: string;
  accountId: string;
  /** Whole cents. */
  amountNano: NanoUsd;
  createdAt: Date;
}

/** Notes that an account begins a card payment, before the payment provider hears of it. */
export async function createCheckout(
  pool: Queryable,
  accountId: string,
  amountNano: NanoUsd,
): Promise<Checkout> {
  const id = uuidV7();
  const { rows } = await pool.query<{ created_at: Date }>(
    'INSERT INTO checkout (id, account_id, amount_nano) VALUES ($1, $2, $3) RETURNING created_at',
    [id, accountId, amountNano],
  );
  const [row] = rows;
  if (!row) throw new Error('the checkout was not written');
  return { id, accountId, amountNano, createdAt: row.created_at };
}

/** Notes which of Stripe's sessions is a checkout's: no other one can pay it from then on. */
export async function noteStripeSession(
  pool: Queryable,
  accountId: string,
  checkoutId: string,
  sessionId: string,
): Promise<void> {
  await pool.query(
    `UPDATE checkout SET stripe_session_id = $3
     WHERE account_id = $1 AND id = $2 AND stripe_session_id IS NULL`,
    [accountId, checkoutId, sessionId],
  );
}

/** When an account began the checkout that is `back` checkouts ago; `undefined` where it began fewer. */
export async function findEarlierCheckout(
  pool: Queryable,
  accountId: string,
  back: number,
): Promise<Date | undefined> {
  const { rows } = await pool.query<{ created_at: Date }>(
    'SELECT created_at FROM checkout WHERE account_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1',
    [accountId, back - 1],
  );
  return rows[0]?.created_at;
}
