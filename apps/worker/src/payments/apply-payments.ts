import {
  claimPaymentNotices,
  closePaymentNotice,
  type PaymentNotice,
  putOffPaymentNotice,
} from '@farebox/billing';
import { pauseMs } from '@farebox/jobs';
import { applyEvent, type EventParts } from './apply-event';
import type { AskStripe } from './stripe-events';

interface PaymentParts extends EventParts {
  askStripe: AskStripe;
}

/** Concurrent requests to Stripe. */
const BATCH = 5;
/** More than a request and a transaction take. If a worker dies meanwhile, the notice becomes due again. */
const LEASE_MS = 60_000;
/** Retries forever: a customer waits for the payment, and Stripe keeps an event for 30 days. */
const PAUSES = { attempts: Infinity, firstPauseMs: 1_000, longestPauseMs: 900_000 };
/** About half an hour. Stripe has an event before it delivers it, so one that it never had was invented. */
const MOST_QUESTIONS_FOR_UNKNOWN = 11;

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
async function applyNotice(parts: PaymentParts, { eventId, attempts }: PaymentNotice): Promise<boolean> {
  const event = await parts.askStripe(eventId);
  if (!event) {
    if (attempts < MOST_QUESTIONS_FOR_UNKNOWN) return false;
    const fields = { event: 'payment_event', payment_event_id: eventId, outcome: 'unknown_event' };
    parts.log.error(fields, 'Stripe does not know an event that was noted');
    return true;
  }
  await applyEvent(parts, event, eventId);
  return true;
}
