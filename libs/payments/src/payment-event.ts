import type { NanoUsd } from '@farebox/money';
import type pg from 'pg';

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
