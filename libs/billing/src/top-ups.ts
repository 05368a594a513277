import type { Queryable } from '@farebox/database';
import { type NanoUsd, toNanoUsd } from '@farebox/money';

/** An open attempt to pay an automatic top-up, as the worker claims it. Its id is that of its checkout. */
export interface ClaimedTopUp {
  id: string;
  accountId: string;
  amountNano: NanoUsd;
  /** `requested`: Stripe was not asked before. `unknown`: it may have been, and the payment may exist. */
  state: 'requested' | 'unknown';
  customerId: string;
  paymentMethodId: string;
  /** Once Stripe has answered. */
  paymentIntentId: string | null;
  /** The first claim, by the database's clock. */
  requestedAt: Date;
  /** Since then. */
  ageMs: number;
}

/** Begins an attempt for each account that is below its threshold and has none. Returns their number. */
export async function beginTopUps(pool: Queryable, limit: number): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('SELECT top_up_begin($1) AS count', [limit]);
  return rows[0]?.count ?? 0;
}

/** Claims due attempts. For `leaseMs` nobody else gets them; then they are due again. */
export async function claimTopUps(
  pool: Queryable,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedTopUp[]> {
  const { rows } = await pool.query<Omit<ClaimedTopUp, 'amountNano'> & { amountNano: string }>(
    `SELECT id, account_id AS "accountId", amount_nano::text AS "amountNano", state,
            stripe_customer_id AS "customerId", stripe_payment_method_id AS "paymentMethodId",
            stripe_payment_intent_id AS "paymentIntentId", requested_at AS "requestedAt",
            (extract(epoch FROM clock_timestamp() - requested_at) * 1000)::float8 AS "ageMs"
     FROM top_up_claim($1, $2)`,
    [limit, leaseMs],
  );
  return rows.map((row) => ({ ...row, amountNano: toNanoUsd(BigInt(row.amountNano)) }));
}

/** Whether an attempt whose payment Stripe does not have may still be asked for. */
export async function isTopUpWanted(pool: Queryable, id: string): Promise<boolean> {
  const { rows } = await pool.query<{ wanted: boolean }>('SELECT top_up_is_wanted($1) AS wanted', [id]);
  return rows[0]?.wanted ?? false;
}

/** Makes an attempt due again in `pauseMs`, and notes its payment if Stripe has named one. */
export async function awaitTopUp(
  pool: Queryable,
  id: string,
  { paymentIntentId, pauseMs }: { paymentIntentId?: string; pauseMs: number },
): Promise<void> {
  await pool.query('SELECT top_up_wait($1, $2, $3)', [id, paymentIntentId ?? null, Math.round(pauseMs)]);
}

/** Why an attempt failed. */
export interface TopUpFailure {
  paymentIntentId: string | null;
  /** Stripe's code of the decline, or a word of ours. */
  failure: string;
  /** The card was declined: three in a row switch automatic top-up off. */
  isDeclined: boolean;
}

/** No card recovers in minutes, and a bank may block one that is tried too often. */
const PAUSE_AFTER_DECLINE_MS = 3_600_000;
const PAUSE_AFTER_FAULT_MS = 600_000;

/** Ends an open attempt as failed. Returns whether this call did. */
export async function failTopUp(
  pool: Queryable,
  id: string,
  { paymentIntentId, failure, isDeclined }: TopUpFailure,
): Promise<boolean> {
  const { rows } = await pool.query<{ ended: boolean }>('SELECT top_up_fail($1, $2, $3, $4, $5) AS ended', [
    ...[id, paymentIntentId, failure, isDeclined],
    isDeclined ? PAUSE_AFTER_DECLINE_MS : PAUSE_AFTER_FAULT_MS,
  ]);
  return rows[0]?.ended ?? false;
}

/** A payment of Stripe's, as far as its fate is read from it. */
export interface PaymentFate {
  id: string;
  status: string;
  last_payment_error?:
    { code?: string | null | undefined; decline_code?: string | null | undefined } | null | undefined;
}

/**
 * Why a payment without its customer failed; `undefined` if it did not. Source:
 * https://docs.stripe.com/payments/paymentintents/lifecycle
 */
export function toTopUpFailure({
  id,
  status,
  last_payment_error: error,
}: PaymentFate): TopUpFailure | undefined {
  const failed = (failure: string, isDeclined: boolean) => ({ paymentIntentId: id, failure, isDeclined });
  if (status === 'canceled') return failed('canceled', false);
  // The customer is not there to act.
  if (status === 'requires_action') return failed('authentication_required', true);
  if (status !== 'requires_payment_method') return undefined;
  return failed(toFailureCode(error), true);
}

/** Stripe's codes are words like `insufficient_funds`. */
export function toFailureCode(error: PaymentFate['last_payment_error']): string {
  const code = error?.decline_code ?? error?.code ?? '';
  return /^[a-z0-9_]{1,60}$/.test(code) ? code : 'card_declined';
}
