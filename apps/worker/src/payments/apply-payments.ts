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
import { type AskStripe, misfitOf } from './stripe-events';

interface PaymentParts {
  pool: Pool;
  askStripe: AskStripe;
  /** Whether real money is taken. */
  isLive: boolean;
  log: Logger;
}

/** How many events Stripe is asked for at once. */
const BATCH = 5;
/** More than one question and one transaction take. A worker that dies meanwhile has the notice come again. */
const LEASE_MS = 60_000;
/** A payment is waited for; and Stripe keeps an event for 30 days. */
const PAUSES = { attempts: Infinity, firstPauseMs: 1_000, longestPauseMs: 900_000 };
/** Some half an hour. Stripe has an event before it delivers it: one that it never had was invented. */
const MOST_QUESTIONS_FOR_UNKNOWN = 11;

/** Money came, and an operator must look what it was for. */
const FOR_AN_OPERATOR: ReadonlySet<PaymentOutcome> = new Set(['mismatched', 'unknown_checkout']);

/**
 * Asks Stripe for every event that was noted and is due, and applies what Stripe says. What fails is put off, longer each
 * time. May run any number of times, and at once: an event is applied once.
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

/** Whether there is nothing left to do. */
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
  const misfit = misfitOf(event, { eventId, isLive });
  if (misfit) {
    log.error({ ...fields, outcome: misfit }, "an event is not of this service's payments");
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
