import type { ReviewPolicy } from '@farebox/config';
import type { JobPayload } from '@farebox/jobs';
import { concludeCharge, findReview, resolveReview } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';
import { resolutionByPolicy } from './review-policy';

export interface ReconcileChargeDeps {
  pool: Pool;
  log: Logger;
  policy: ReviewPolicy;
}

/**
 * Makes a review of a charge that a gateway could not record, and resolves it where the policy says so. A hold that is
 * gone was charged, released or swept meanwhile, and stays so; but a charge for an answer that was withheld is given back.
 * A second run finds what the first one left undone.
 */
export async function reconcileCharge(
  { pool, log, policy }: ReconcileChargeDeps,
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

  const resolution = review && resolutionByPolicy(policy, review);
  if (resolution === undefined) return;
  const decision = { resolution, resolvedBy: 'policy', note: `by FAREBOX_REVIEW_POLICY=${policy}` };
  if ((await resolveReview(pool, holdId, decision)) === 'resolved')
    log.info({ event: 'review_resolved', ...ids, outcome: resolution }, 'the policy resolved a review');
}
