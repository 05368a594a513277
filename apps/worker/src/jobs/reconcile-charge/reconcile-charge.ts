import type { JobPayload } from '@farebox/jobs';
import { concludeCharge, findReview } from '@farebox/ledger';
import { resolveByPolicy, type PolicyDeps } from '../../review-policy/resolve-by-policy';

/**
 * Makes a review of a charge that a gateway could not record, and resolves it where the policy says so. A hold that is
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
