import { uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import type { NanoUsd } from '@farebox/money';
import type pg from 'pg';

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

/** When an account began the checkout that is `back` checkouts ago; `undefined` if it began fewer. */
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

/** What one of Stripe's events tells about a card payment. */
export type PaymentEvent = {
  /** `evt_…`: an event is applied once. */
  id: string;
  /** As Stripe names it. */
  type: string;
} & (CheckoutNews | PaymentNews);

/** The money of a checkout is there (`pay`), comes later (`await`) or does not come (`end`). */
export interface CheckoutNews {
  action: 'pay' | 'await' | 'end';
  checkoutId: string;
  sessionId: string;
  paymentIntentId: string | null;
  amountNano: NanoUsd | null;
  currency: string | null;
}

/**
 * Of a payment: so much was refunded in all so far (`refund`), one refund was made (`refund_made`) or came back
 * (`refund_failed`), a dispute took it (`dispute`), or gave it back (`reinstate`).
 */
export interface PaymentNews {
  action: 'refund' | 'refund_made' | 'refund_failed' | 'dispute' | 'reinstate';
  paymentIntentId: string;
  /** The charge, the refund or the dispute. */
  objectId: string;
  amountNano: NanoUsd;
  currency: string;
}

/**
 * `unmatched`: of a payment that is not known yet, and kept for when it is. `mismatched`: another amount, currency or
 * session than the checkout's; nothing moved. The rest say what they say.
 */
export type PaymentOutcome =
  'applied' | 'no_change' | 'repeated' | 'mismatched' | 'unknown_checkout' | 'unmatched';

/** Applies an event, once, in one transaction with the money that it moves. */
export async function applyPaymentEvent(
  pool: Pick<pg.Pool, 'query'>,
  event: PaymentEvent,
): Promise<PaymentOutcome> {
  const { id, type, action, paymentIntentId, amountNano, currency } = event;
  const { rows } = await pool.query<{ outcome: PaymentOutcome }>(
    'SELECT payment_apply_event($1, $2, $3, $4, $5, $6, $7, $8, $9) AS outcome',
    [
      ...[id, type, action],
      'checkoutId' in event ? event.checkoutId : null,
      'sessionId' in event ? event.sessionId : null,
      paymentIntentId,
      'objectId' in event ? event.objectId : null,
      ...[amountNano, currency],
    ],
  );
  const [row] = rows;
  if (!row) throw new Error('the database answered no row');
  return row.outcome;
}

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
