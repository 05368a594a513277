import type pg from 'pg';
import type { FailedCharge } from './failed-charges';
import { refundWithheldAnswer } from './refunds';
import { openReview } from './reviews';

/**
 * Ends what a charge of unknown outcome has left open, however often it is called. `review_opened`: it was not recorded,
 * and is in review now. `refunded`: it was recorded after all, for an answer that was withheld, and is given back.
 * `nothing_left`: it was recorded, released, swept, reviewed or given back before.
 */
export async function concludeCharge(
  pool: Pick<pg.Pool, 'query'>,
  charge: FailedCharge,
): Promise<'review_opened' | 'refunded' | 'nothing_left'> {
  if (await openReview(pool, charge)) return 'review_opened';
  return (await refundWithheldAnswer(pool, charge.holdId)) ? 'refunded' : 'nothing_left';
}
