import { uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import { type NanoUsd, toNanoUsd } from '@farebox/money';
import type pg from 'pg';

export interface Checkout {
  id: string;
  accountId: string;
  /** Whole cents. */
  amountNano: NanoUsd;
  createdAt: Date;
}

/** Records that an account starts a card payment, before the payment provider is called. */
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

/** Binds a Stripe session to a checkout: no other session can pay it afterwards. */
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

/** A checkout as its account sees it. */
export interface CheckoutState extends Pick<Checkout, 'amountNano' | 'createdAt'> {
  /** `awaiting`: the money was ordered and arrives later. `ended`: it does not arrive. */
  status: 'open' | 'awaiting' | 'paid' | 'ended';
  /** The receipt of its top-up, once it is paid. */
  receiptNumber: string | null;
}

/** A checkout of an account; `undefined` if it has none with this id. */
export async function findCheckout(
  pool: Queryable,
  accountId: string,
  checkoutId: string,
): Promise<CheckoutState | undefined> {
  const { rows } = await pool.query<Omit<CheckoutState, 'amountNano'> & { amountNano: string }>(
    `SELECT c.status, c.amount_nano::text AS "amountNano", c.created_at AS "createdAt", r.number AS "receiptNumber"
     FROM checkout c
     LEFT JOIN funding f ON c.status = 'paid' AND f.account_id = c.account_id
                        AND f.reference = 'stripe:' || coalesce(c.stripe_session_id, c.stripe_payment_intent_id)
     LEFT JOIN receipt r ON r.funding_id = f.id
     WHERE c.account_id = $1 AND c.id = $2`,
    [accountId, checkoutId],
  );
  const [row] = rows;
  return row && { ...row, amountNano: toNanoUsd(BigInt(row.amountNano)) };
}

/**
 * The time of the checkout that the account's owner began `back` checkouts ago; `undefined` if there were
 * fewer.
 */
export async function findEarlierCheckout(
  pool: Queryable,
  accountId: string,
  back: number,
): Promise<Date | undefined> {
  const { rows } = await pool.query<{ created_at: Date }>(
    `SELECT created_at FROM checkout c
     WHERE account_id = $1 AND NOT EXISTS (SELECT FROM top_up_attempt a WHERE a.id = c.id)
     ORDER BY id DESC OFFSET $2 LIMIT 1`,
    [accountId, back - 1],
  );
  return rows[0]?.created_at;
}

/** One Stripe event of a card payment. */
export type PaymentEvent = {
  /** `evt_…`. An event is applied once. */
  id: string;
  /** Stripe's type name. */
  type: string;
} & (CheckoutNews | PaymentNews);

/** The money of a checkout arrived (`pay`), arrives later (`await`) or does not arrive (`end`). */
export interface CheckoutNews {
  action: 'pay' | 'await' | 'end';
  checkoutId: string;
  /** Null for an automatic top-up. */
  sessionId: string | null;
  paymentIntentId: string | null;
  amountNano: NanoUsd | null;
  currency: string | null;
}

/**
 * For a payment: the total refunded so far (`refund`), one refund was made (`refund_made`) or failed
 * (`refund_failed`), a dispute withdrew the money (`dispute`), returned it (`reinstate`) or was lost (`lose`).
 */
export interface PaymentNews {
  action: 'refund' | 'refund_made' | 'refund_failed' | 'dispute' | 'reinstate' | 'lose';
  paymentIntentId: string;
  /** The id of the charge, the refund or the dispute. */
  objectId: string;
  amountNano: NanoUsd;
  currency: string;
}

/**
 * `unmatched`: the payment is not known yet; the event is kept until it is. `mismatched`: the amount,
 * currency or session differs from the checkout's; nothing moved.
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

/**
 * The number of Stripe events that named a checkout of this account but did not match it. They moved no
 * money.
 */
export async function countPaymentsToCheck(pool: Pick<pg.Pool, 'query'>, accountId: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM stripe_event e
     JOIN checkout c ON c.id = e.checkout_id OR c.stripe_payment_intent_id = e.payment_intent_id
     WHERE c.account_id = $1 AND e.outcome = 'mismatched'`,
    [accountId],
  );
  return rows[0]?.count ?? 0;
}
