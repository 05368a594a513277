import type { ReviewPolicy } from '@farebox/config';
import type { JobPayload } from '@farebox/jobs';
import {
  concludeCharge,
  findReview,
  listReviews,
  proposeResolution,
  resolveReview,
  type Resolution,
  type Review,
} from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

/**
 * Makes a review of a charge that a gateway could not record, and resolves it if the policy says so. A hold that is
 * gone was charged, released or swept meanwhile, and stays so; but a charge for an answer that was withheld is given back.
 * A second run finds what the first one left undone.
 */
export async function reconcileCharge(
  { pool, log, policy }: PolicyDeps,
  charge: JobPayload<'reconcile-charge'>,
): Promise<void> {
  const { holdId, accountId, usage } = charge;
  const became = await concludeCharge(pool, charge);
  const review = await findReview(pool, holdId);
  const ids = { request_id: review?.requestId, hold_id: holdId, account_id: accountId };
  const measured = { ...ids, amount_nano: usage.measuredCostNano };
  if (became === 'review_opened')
    log.warn({ event: 'review_opened', ...measured }, 'a charge that could not be recorded is in review');
  if (became === 'refunded')
    log.warn({ event: 'withheld_answer_refunded', ...measured }, 'a charge was recorded late and given back');

  if (review) await resolveByPolicy({ pool, log, policy }, review);
}

const PAGE = 100;

/**
 * Resolves open reviews as the policy says, those too that a gateway had to make by itself because the queue was away
 * as well. A second run finds nothing left to do.
 */
export async function applyReviewPolicy(deps: PolicyDeps): Promise<void> {
  if (deps.policy === 'manual') return;
  let afterId: string | undefined;
  for (;;) {
    const open = { state: 'open', reason: 'charge_failed', afterId, limit: PAGE } as const;
    const reviews = await listReviews(deps.pool, open);
    for (const review of reviews) await resolveByPolicy(deps, review);
    afterId = reviews.at(-1)?.id;
    if (reviews.length < PAGE) return;
  }
}

interface PolicyDeps {
  pool: Pool;
  log: Logger;
  policy: ReviewPolicy;
}

/** Resolves a review if the policy says how. A review that was resolved meanwhile stays as it is. */
async function resolveByPolicy({ pool, log, policy }: PolicyDeps, review: Review): Promise<void> {
  const resolution = resolutionByPolicy(policy, review);
  if (resolution === undefined) return;
  const decision = { resolution, resolvedBy: 'policy', note: `by FAREBOX_REVIEW_POLICY=${policy}` };
  if ((await resolveReview(pool, review.id, decision)) !== 'resolved') return;
  const ids = { request_id: review.requestId, hold_id: review.id, account_id: review.accountId };
  log.info({ event: 'review_resolved', ...ids, outcome: resolution }, 'the policy resolved a review');
}

/** How the policy resolves a review; undefined if that is left to an operator, or has been done. */
export function resolutionByPolicy(
  policy: ReviewPolicy,
  review: Pick<Review, 'state' | 'reason' | 'streamed'>,
): Resolution | undefined {
  const proposed = proposeResolution(review);
  if (proposed === null || policy === 'manual' || review.reason !== 'charge_failed') return undefined;
  return policy === 'waive' ? 'waive' : proposed;
}
