import { toPublicId } from '@farebox/ids';
import { findReview, type Resolution, type Review } from '@farebox/ledger';
import type { Pool } from 'pg';
import { CommandFailure } from '../command-failure';

/** Throws `CommandFailure` where there is no such review. */
export async function requireReview(reviewId: string, pool: Pool): Promise<Review> {
  const review = await findReview(pool, reviewId);
  if (!review) throw noSuchReview(reviewId);
  return review;
}

export function noSuchReview(reviewId: string): CommandFailure {
  return new CommandFailure(`There is no review ${toPublicId('rev', reviewId)}.`);
}

/**
 * What an open review asks for: `charge` where output reached the customer, `waive` where the answer was withheld or
 * nothing is reserved. Null once it is resolved.
 */
export function proposeResolution({
  state,
  reason,
  streamed,
}: Pick<Review, 'state' | 'reason' | 'streamed'>): Resolution | null {
  if (state !== 'open') return null;
  return reason === 'charge_failed' && streamed === true ? 'charge' : 'waive';
}
