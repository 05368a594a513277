import { listReviews } from '@farebox/ledger';
import { resolveByPolicy, type PolicyDeps } from '../../review-policy/resolve-by-policy';

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
