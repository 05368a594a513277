import { openStripe, toStripeCause } from '@farebox/billing/stripe';
import type { AskStripe } from './stripe-events';

const TIMEOUT_MS = 10_000;
const NOT_FOUND = 404;

/** A failed request is not retried here, since its notice is. */
export function askStripeWith({
  secretKey,
  apiUrl,
}: {
  secretKey: string;
  apiUrl: string | undefined;
}): AskStripe {
  const stripe = openStripe({ secretKey, apiUrl, timeoutMs: TIMEOUT_MS, retries: 0 });
  return async (eventId) => {
    try {
      return await stripe.events.retrieve(eventId);
    } catch (error) {
      if (error instanceof Error && 'statusCode' in error && error.statusCode === NOT_FOUND) return undefined;
      throw toStripeCause(error);
    }
  };
}
