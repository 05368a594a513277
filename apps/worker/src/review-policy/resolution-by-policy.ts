import type { ReviewPolicy } from '@farebox/config';
import { proposeResolution, type Resolution, type Review } from '@farebox/ledger';

/** How the policy resolves a review; undefined where that is left to an operator, or has been done. */
export function resolutionByPolicy(
  policy: ReviewPolicy,
  review: Pick<Review, 'state' | 'reason' | 'streamed'>,
): Resolution | undefined {
  const proposed = proposeResolution(review);
  if (proposed === null || policy === 'manual' || review.reason !== 'charge_failed') return undefined;
  return policy === 'waive' ? 'waive' : proposed;
}
