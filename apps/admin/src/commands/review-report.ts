import { toUnixSeconds } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import { proposeResolution, type Review } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';

export type ReviewReport = ReturnType<typeof toReviewReport>;

/** A review as a script sees it. `reserved` is what was kept back while it was open. */
export function toReviewReport(review: Review) {
  return {
    review_id: toPublicId('rev', review.id),
    state: review.state,
    reason: review.reason,
    proposed_resolution: proposeResolution(review),
    account_id: toPublicId('acct', review.accountId),
    key_public_id: toPublicId('key', review.apiKeyId),
    request_id: review.requestId,
    request_count: review.requestCount,
    last_request_id: review.lastRequestId,
    model: review.modelId,
    currency: 'usd',
    held: toDecimalUsd(review.heldNano),
    reserved: toDecimalUsd(review.reservedNano),
    measured_cost: review.measuredCostNano === null ? null : toDecimalUsd(review.measuredCostNano),
    prompt_tokens: review.promptTokens,
    completion_tokens: review.completionTokens,
    outcome: review.outcome,
    streamed: review.streamed,
    estimated: review.estimated,
    created_at: toUnixSeconds(review.createdAt),
    resolved_at: review.resolvedAt === null ? null : toUnixSeconds(review.resolvedAt),
    resolved_by: review.resolvedBy,
    note: review.note,
  };
}

/** Who resolved a review, how and when: one clause for a person. */
export function describeResolution({ state, resolvedBy, resolvedAt }: Review): string {
  return `${state} by ${resolvedBy ?? 'unknown'} on ${resolvedAt?.toISOString() ?? 'an unknown day'}`;
}
