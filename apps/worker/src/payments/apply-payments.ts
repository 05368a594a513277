import {
  applyPaymentEvent,
  claimPaymentNotices,
  closePaymentNotice,
  type PaymentNotice,
  type PaymentOutcome,
  putOffPaymentNotice,
  readStripeEvent,
} from '@farebox/billing';
import { pauseMs } from '@farebox/jobs';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';
import { type AskStripe, mismatchOf } from './stripe-events';

interface PaymentParts {
  pool: Pool;
  askStripe: AskStripe;
  /** Whether the key is for real money. */
  isLive: boolean;
  log: Logger;
}

/** Concurrent requests to Stripe. */
const BATCH = 5;
/** More than a request and a transaction take. If a worker dies meanwhile, the notice becomes due again. */
const LEASE_MS = 60_000;
/** Retries forever: a customer waits for the payment, and Stripe keeps an event for 30 days. */
const PAUSES = { attempts: Infinity, firstPauseMs: 1_000, longestPauseMs: 900_000 };
/** About half an hour. Stripe has an event before it delivers it, so one that it never had was invented. */
const MOST_QUESTIONS_FOR_UNKNOWN = 11;

/** Money arrived, and an operator must find out what it was for. */
const FOR_AN_OPERATOR: ReadonlySet<PaymentOutcome> = new Set(['mismatched', 'unknown_checkout']);

/**
 * Fetches every noted event that is due from Stripe and applies it. Failures are postponed, longer each time.
 * May run any number of times, even concurrently: an event is applied once.
 */
export async function applyNotedPayments(parts: PaymentParts, closing?: AbortSignal): Promise<void> {
  while (!closing?.aborted) {
    const notices = await claimPaymentNotices(parts.pool, { limit: BATCH, leaseMs: LEASE_MS });
    await Promise.all(notices.map((notice) => applyOrPutOff(parts, notice)));
    if (notices.length < BATCH) return;
  }
}

async function applyOrPutOff(parts: PaymentParts, notice: PaymentNotice): Promise<void> {
  const { pool, log } = parts;
  const { eventId, attempts } = notice;
  try {
    if (await applyNotice(parts, notice)) await closePaymentNotice(pool, eventId);
    else await putOffPaymentNotice(pool, eventId, pauseMs(PAUSES, attempts));
  } catch (error) {
    const fields = { event: 'payment_put_off', payment_event_id: eventId, attempt: attempts, error };
    log.warn(fields, 'a payment event cannot be applied now: it waits');
    await putOffPaymentNotice(pool, eventId, pauseMs(PAUSES, attempts));
  }
}

/** Returns whether the notice is done. */
async function applyNotice(
  { pool, askStripe, isLive, log }: PaymentParts,
  { eventId, attempts }: PaymentNotice,
): Promise<boolean> {
  const fields = { event: 'payment_event', payment_event_id: eventId };
  const event = await askStripe(eventId);
  if (!event) {
    if (attempts < MOST_QUESTIONS_FOR_UNKNOWN) return false;
    log.error({ ...fields, outcome: 'unknown_event' }, 'Stripe does not know an event that was noted');
    return true;
  }
  const mismatch = mismatchOf(event, { eventId, isLive });
  if (mismatch) {
    log.error({ ...fields, outcome: mismatch }, "an event is not of this service's payments");
    return true;
  }
  const news = readStripeEvent(event);
  if (!news) return true;
  const outcome = await applyPaymentEvent(pool, news);
  const told = { ...fields, payment_event_type: news.type, outcome };
  if (FOR_AN_OPERATOR.has(outcome)) log.error(told, 'a payment does not match its checkout');
  else log.info(told, 'a payment event is applied');
  return true;
}
