import type { Usage } from '../../src/hold';
import type { Resolution, ReviewState } from '../../src/reviews';
import { freeClaim, spendClaim, withholdClaim } from './admit';
import type { Applied } from './operation';
import { atMost, findHold, recordCharge } from './settle';
import { without, withValue, type LedgerState, type Review } from './state';

/** Turns a hold with a failed charge into a review, which reserves the measured amount. */
export function openReview(
  state: LedgerState,
  name: { holdId: string; accountId: string },
  usage: Usage,
): Applied<boolean> {
  const hold = findHold(state, name);
  if (!hold) return { state, answer: false };
  const reviews = withValue(state.reviews, name.holdId, {
    hold,
    reason: 'charge_failed',
    state: 'open',
    reservedNano: atMost(usage.measuredCostNano, hold.admission.amountNano),
    usage,
  });
  const holds = without(state.holds, name.holdId);
  return { state: withholdClaim({ ...state, holds, reviews }, hold.admission), answer: true };
}

/**
 * Resolves an open review once. A charge takes the reserved amount and keeps the answer withheld; a waiver
 * releases it and frees the Idempotency-Key. A review without a reservation is only closed.
 */
export function resolveReview(state: LedgerState, reviewId: string, resolution: Resolution): Applied {
  const review = state.reviews.get(reviewId);
  if (!review) return { state, answer: 'no_such_review' };
  if (review.state !== 'open') return { state, answer: 'resolved_before' };
  const { hold, usage, reservedNano } = review;
  const reserves = review.reason === 'charge_failed';
  if (resolution === 'charge') {
    if (!reserves || !usage) return { state, answer: 'nothing_reserved' };
    const charged = recordCharge(close(state, reviewId, review, 'charged'), hold, usage, reservedNano);
    return { state: spendClaim(charged, hold.admission, undefined), answer: 'resolved' };
  }
  const waived = close(state, reviewId, review, 'waived');
  return { state: reserves ? freeClaim(waived, hold.admission) : waived, answer: 'resolved' };
}

function close(state: LedgerState, reviewId: string, review: Review, as: ReviewState): LedgerState {
  return { ...state, reviews: withValue(state.reviews, reviewId, { ...review, state: as }) };
}
