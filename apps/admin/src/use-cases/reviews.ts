import { toPublicId } from '@farebox/ids';
import { findReview, type Review } from '@farebox/ledger';
import type { Pool } from 'pg';
import { CommandFailure } from '../command-failure';

/** Throws `CommandFailure` where there is no such review. */
export async function requireReview(reviewId: string, pool: Pick<Pool, 'query'>): Promise<Review> {
  const review = await findReview(pool, reviewId);
  if (!review) throw noSuchReview(reviewId);
  return review;
}

export function noSuchReview(reviewId: string): CommandFailure {
  return new CommandFailure(`There is no review ${toPublicId('rev', reviewId)}.`);
}
