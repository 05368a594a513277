import { toPublicId } from '@farebox/ids';
import { findReview, listReviews, resolveReview, type Resolution, type Review } from '@farebox/ledger';
import type { ReviewReason } from '@farebox/ledger';
import type { Pool, PoolClient } from 'pg';
import { CommandFailure } from '../command-failure';
import { describeResolution } from '../commands/review-report';
import { noSuchReview, requireReview } from './reviews';

export interface Decision {
  resolution: Resolution;
  resolvedBy: string;
  note: string | undefined;
}

/** Answers with the resolved review. Throws `CommandFailure` where it cannot be resolved so. */
export async function resolveOpenReview(
  client: PoolClient,
  reviewId: string,
  decision: Decision,
): Promise<Review> {
  const id = toPublicId('rev', reviewId);
  switch (await resolveReview(client, reviewId, decision)) {
    case 'resolved':
      return requireReview(reviewId, client);
    case 'no_such_review':
      throw noSuchReview(reviewId);
    case 'nothing_reserved':
      throw new CommandFailure(`The review ${id} reserves nothing to be charged: --waive closes it.`);
    case 'resolved_before': {
      const before = await findReview(client, reviewId);
      const how = before === undefined ? '' : `: ${describeResolution(before)}`;
      throw new CommandFailure(`The review ${id} was resolved before${how}.`);
    }
  }
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
