import type { Resolution, Review } from './reviews';

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
