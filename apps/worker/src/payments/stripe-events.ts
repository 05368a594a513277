import { openStripe, toStripeCause } from '@farebox/billing';

/** What is read of an event as Stripe's API returns it. */
export interface StripeEvent {
  id: string;
  type: string;
  /** Whether it is about real money. */
  livemode: boolean;
  /** Of an event of a connected account: whose it is. */
  account?: string | null;
  data: { object: unknown };
}

/** Asks Stripe for an event by its id: `undefined` if Stripe knows none of that id. */
export type AskStripe = (eventId: string) => Promise<StripeEvent | undefined>;

const TIMEOUT_MS = 10_000;
const NOT_FOUND = 404;

/** A request that fails is not tried again here: its notice is. */
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

/** Whether a key of Stripe's moves real money. Source: https://docs.stripe.com/keys */
export function isLiveKey(secretKey: string): boolean {
  return /^[sr]k_(?:org_)?live_/.test(secretKey);
}

/** Why an event is not one of this service's; `undefined` if it is. */
export function misfitOf(
  event: StripeEvent,
  { eventId, isLive }: { eventId: string; isLive: boolean },
): 'other_event' | 'other_account' | 'other_mode' | undefined {
  if (event.id !== eventId) return 'other_event';
  // The money of a connected account is somebody else's.
  if (event.account != null) return 'other_account';
  if (event.livemode !== isLive) return 'other_mode';
  return undefined;
}
