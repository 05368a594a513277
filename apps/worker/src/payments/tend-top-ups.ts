import {
  awaitTopUp,
  beginTopUps,
  claimCardRemovals,
  claimTopUps,
  type ClaimedTopUp,
  closeCardRemoval,
  failTopUp,
  isTopUpWanted,
  putOffCardRemoval,
  type CardRemoval,
} from '@farebox/billing';
import { toPublicId } from '@farebox/auth';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@farebox/flow';
import { pauseMs } from '@farebox/jobs';
import { applyEvent, followCard, type EventParts } from './apply-event';
import type { AskedPayment, PaymentResult } from './stripe-cards';

/** Accounts in one round, which begins again within seconds. */
const MOST_BEGUN = 100;
/** Concurrent requests to Stripe. */
const BATCH = 5;
/** More than a request and a transaction take. If a worker dies meanwhile, another one asks Stripe. */
const LEASE_MS = 60_000;
/** Stripe delivers an event within seconds. If it does not, it is looked for. */
const EVENT_PAUSE_MS = MINUTE_MS;
/** No request that could still make the payment is under way then. */
const SURELY_NOT_MADE_MS = 10 * MINUTE_MS;
/** Stripe knows a key for 24 hours at least; later the same request would be a second payment. */
const KEY_LIFETIME_MS = 23 * HOUR_MS;
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [5 * SECOND_MS, 15 * MINUTE_MS];
const REMOVAL_PAUSES = { attempts: Infinity, firstPauseMs: 5_000, longestPauseMs: LONGEST_PAUSE_MS };

/**
 * Begins the automatic top-ups that are due, asks Stripe for their payments, and finds out what became of
 * those of a worker that died. Credits nothing: that is for Stripe's event. Any number of workers may run it.
 */
export async function tendTopUps(parts: EventParts, closing?: AbortSignal): Promise<void> {
  await beginTopUps(parts.pool, MOST_BEGUN);
  while (!closing?.aborted) {
    const attempts = await claimTopUps(parts.pool, { limit: BATCH, leaseMs: LEASE_MS });
    await Promise.all(attempts.map((attempt) => advanceOrPutOff(parts, attempt)));
    if (attempts.length < BATCH) return;
  }
}

async function advanceOrPutOff(parts: EventParts, attempt: ClaimedTopUp): Promise<void> {
  try {
    if (attempt.state === 'requested') await pay(parts, attempt);
    else await reconcile(parts, attempt);
  } catch (error) {
    const fields = { event: 'top_up_put_off', ...idsOf(attempt), error };
    parts.log.warn(fields, 'Stripe cannot tell now what became of an automatic top-up: it waits');
    await awaitTopUp(parts.pool, attempt.id, { pauseMs: pauseOf(attempt) });
  }
}

async function pay(parts: EventParts, attempt: ClaimedTopUp): Promise<void> {
  await note(parts, attempt, await parts.cards.pay(attempt));
}

async function note(parts: EventParts, attempt: ClaimedTopUp, asked: AskedPayment): Promise<void> {
  switch (asked.outcome) {
    case 'failed':
      return fail(parts, attempt, asked);
    case 'taken': {
      const { paymentIntentId } = asked;
      return awaitTopUp(parts.pool, attempt.id, { paymentIntentId, pauseMs: EVENT_PAUSE_MS });
    }
    case 'unclear':
      return waitOrGiveUp(parts, attempt);
  }
}

/** The payment may exist although nobody has noted it, or its event may not have arrived. */
async function reconcile(parts: EventParts, attempt: ClaimedTopUp): Promise<void> {
  const { pool, cards } = parts;
  const result = await cards.findPayment(attempt);
  if (!result) {
    const isWanted = attempt.ageMs < KEY_LIFETIME_MS && (await isTopUpWanted(pool, attempt.id));
    return isWanted ? pay(parts, attempt) : waitOrGiveUp(parts, attempt);
  }
  if (result.outcome === 'failed') return fail(parts, attempt, result);
  const { paymentIntentId } = result;
  await awaitTopUp(pool, attempt.id, { paymentIntentId, pauseMs: pauseOf(attempt) });
  const event = await cards.findSuccess(result);
  if (event) await applyEvent(parts, event, event.id);
}

/** Once no request of the attempt can be under way, a payment that Stripe does not have was not made. */
async function waitOrGiveUp(parts: EventParts, attempt: ClaimedTopUp): Promise<void> {
  if (attempt.ageMs < SURELY_NOT_MADE_MS)
    return awaitTopUp(parts.pool, attempt.id, { pauseMs: pauseOf(attempt) });
  const notMade = { paymentIntentId: null, failure: 'not_made', isDeclined: false };
  return fail(parts, attempt, { outcome: 'failed', ...notMade });
}

async function fail(
  parts: EventParts,
  attempt: ClaimedTopUp,
  failed: PaymentResult & { outcome: 'failed' },
): Promise<void> {
  const { pool, log } = parts;
  if (!(await failTopUp(pool, attempt.id, failed))) return;
  const fields = { event: 'top_up_failed', ...idsOf(attempt), reason: failed.failure };
  if (failed.isDeclined) log.info(fields, 'the card of an automatic top-up was declined');
  else log.error(fields, 'Stripe did not make the payment of an automatic top-up');
  // It may be gone without an event.
  if (failed.failure === 'not_accepted') await followCard(parts, attempt.paymentMethodId);
}

/** Has Stripe forget the cards that were removed or replaced here. */
export async function forgetCards(parts: EventParts, closing?: AbortSignal): Promise<void> {
  while (!closing?.aborted) {
    const removals = await claimCardRemovals(parts.pool, { limit: BATCH, leaseMs: LEASE_MS });
    await Promise.all(removals.map((removal) => forgetOrPutOff(parts, removal)));
    if (removals.length < BATCH) return;
  }
}

async function forgetOrPutOff(
  { pool, cards, log }: EventParts,
  { paymentMethodId, attempts }: CardRemoval,
): Promise<void> {
  try {
    await cards.forgetCard(paymentMethodId);
    await closeCardRemoval(pool, paymentMethodId);
  } catch (error) {
    log.warn(
      { event: 'card_not_forgotten', attempt: attempts, error },
      'Stripe cannot remove a card now: it waits',
    );
    await putOffCardRemoval(pool, paymentMethodId, pauseMs(REMOVAL_PAUSES, attempts));
  }
}

/** As long as it has waited already. */
function pauseOf({ ageMs }: ClaimedTopUp): number {
  return Math.min(Math.max(ageMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}

function idsOf({ id, accountId }: ClaimedTopUp): { top_up_id: string; account_id: string } {
  return { top_up_id: toPublicId('chk', id), account_id: toPublicId('acct', accountId) };
}
