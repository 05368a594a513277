import { openStripe, toStripeCause } from '@farebox/billing';

/** The fields read from an event of Stripe's API. */
export interface StripeEvent {
  id: string;
  type: string;
  /** Whether it concerns real money. */
  livemode: boolean;
  /** The connected account of its event. */
  account?: string | null;
  data: { object: unknown };
}

/** Fetches an event from Stripe by its id; `undefined` if Stripe does not know it. */
export type AskStripe = (eventId: string) => Promise<StripeEvent | undefined>;

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

/** Whether a Stripe key moves real money. Source: https://docs.stripe.com/keys */
export function isLiveKey(secretKey: string): boolean {
  return /^[sr]k_(?:org_)?live_/.test(secretKey);
}

/** Why an event does not belong to this service; `undefined` if it does. */
export function mismatchOf(
  event: StripeEvent,
  { eventId, isLive }: { eventId: string; isLive: boolean },
): 'other_event' | 'other_account' | 'other_mode' | undefined {
  if (event.id !== eventId) return 'other_event';
  // The money of a connected account belongs to somebody else.
  if (event.account != null) return 'other_account';
  if (event.livemode !== isLive) return 'other_mode';
  return undefined;
}
