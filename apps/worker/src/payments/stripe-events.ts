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
