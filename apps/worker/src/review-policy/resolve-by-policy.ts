import type { ReviewPolicy } from '@farebox/config';
import { resolveReview, type Review } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';
import { resolutionByPolicy } from './resolution-by-policy';

export interface PolicyDeps {
  pool: Pool;
  log: Logger;
  policy: ReviewPolicy;
}

/** Resolves a review where the policy says how. A review that was resolved meanwhile stays as it is. */
export async function resolveByPolicy({ pool, log, policy }: PolicyDeps, review: Review): Promise<void> {
  const resolution = resolutionByPolicy(policy, review);
  if (resolution === undefined) return;
  const decision = { resolution, resolvedBy: 'policy', note: `by FAREBOX_REVIEW_POLICY=${policy}` };
  if ((await resolveReview(pool, review.id, decision)) !== 'resolved') return;
  const ids = { request_id: review.requestId, hold_id: review.id, account_id: review.accountId };
  log.info({ event: 'review_resolved', ...ids, outcome: resolution }, 'the policy resolved a review');
}
