import { toPublicId } from '@farebox/ids';
import { findReview, listReviews, resolveReview, type Resolution, type Review } from '@farebox/ledger';
import type { ReviewReason } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import type { Pool } from 'pg';
import type { Movement } from '../audit/run-movement';
import { CommandFailure } from '../command-failure';
import { describeResolution } from '../commands/review-report';
import { noSuchReview, requireReview } from './reviews';

export interface Decision {
  resolution: Resolution;
  note: string | undefined;
}

/** Answers with the resolved review. Throws `CommandFailure` if it cannot be resolved so. */
export async function resolveOpenReview(
  movement: Movement,
  reviewId: string,
  decision: Decision,
): Promise<Review> {
  const { pool } = movement;
  const id = toPublicId('rev', reviewId);
  const review = await requireReview(reviewId, pool);
  switch (await resolveNoted(movement, review, decision)) {
    case 'resolved':
      return requireReview(reviewId, pool);
    case 'no_such_review':
      throw noSuchReview(reviewId);
    case 'nothing_reserved':
      throw new CommandFailure(`The review ${id} reserves nothing to be charged: --waive closes it.`);
    case 'resolved_before': {
      const before = await findReview(pool, reviewId);
      const how = before === undefined ? '' : `: ${describeResolution(before)}`;
      throw new CommandFailure(`The review ${id} was resolved before${how}.`);
    }
  }
}

/** Resolves a review and notes it in the audit log. What it reserves does not change while it is open. */
export function resolveNoted(
  { operator, noting }: Movement,
  { id, accountId, reservedNano }: Review,
  { resolution, note }: Decision,
): ReturnType<typeof resolveReview> {
  const client = noting({
    target: toPublicId('rev', id),
    details: {
      resolution,
      account_id: toPublicId('acct', accountId),
      reserved: toDecimalUsd(reservedNano),
      note: note ?? null,
    },
    when: `answer = 'resolved'`,
  });
  return resolveReview(client, id, { resolution, resolvedBy: operator, note });
}

const PAGE = 1_000;

/** All open reviews with a reason, oldest first. */
export async function findOpenReviews(
  pool: Pool,
  wanted: { reason: ReviewReason; accountId: string | undefined },
): Promise<Review[]> {
  const found: Review[] = [];
  for (;;) {
    const page = await listReviews(pool, {
      ...wanted,
      state: 'open',
      limit: PAGE,
      afterId: found.at(-1)?.id,
    });
    found.push(...page);
    if (page.length < PAGE) return found.reverse();
  }
}
