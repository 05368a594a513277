import { requirePace } from '@farebox/accounts';
import { ApiError } from '@farebox/errors';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import { createCheckout, findEarlierCheckout, noteStripeSession, type Checkout } from '@farebox/billing';
import type { Pool } from 'pg';

/** What a card payment may be. */
export interface TopUpBounds {
  minNano: NanoUsd;
  maxNano: NanoUsd;
}

/** A page of the payment provider's where a checkout is paid. */
export interface PaymentPage {
  sessionId: string;
  url: string;
  expiresAt: Date;
}

/** Asks the payment provider for the page of a checkout. Throws `ApiError` if it does not answer. */
export type OpenPaymentPage = (checkout: Checkout) => Promise<PaymentPage>;

export interface CardPayments {
  bounds: TopUpBounds;
  openPaymentPage: OpenPaymentPage;
}

const MOST_A_DAY = 20;
const NANO_PER_CENT = 10_000_000n;

/**
 * Begins a card payment: written down first, so that what the provider tells later finds it. Throws
 * `invalid_request_error` for an amount out of bounds, `rate_limit_error` for too many in a day, `service_unavailable`.
 */
export async function startCheckout(
  accountId: string,
  { pool, card: { bounds, openPaymentPage } }: { pool: Pool; card: CardPayments },
  amountNano: NanoUsd,
  now: Date,
): Promise<{ checkout: Checkout; page: PaymentPage }> {
  requirePayable(amountNano, bounds);
  const earlier = await findEarlierCheckout(pool, accountId, MOST_A_DAY);
  requirePace(earlier, now, { mostADay: MOST_A_DAY, plural: 'checkouts' });
  const checkout = await createCheckout(pool, accountId, amountNano);
  const page = await openPaymentPage(checkout);
  await noteStripeSession(pool, accountId, checkout.id, page.sessionId);
  return { checkout, page };
}

/** Throws `invalid_request_error` for what a card cannot be charged, or may not. */
export function requirePayable(amountNano: NanoUsd, { minNano, maxNano }: TopUpBounds): void {
  if (amountNano % NANO_PER_CENT === 0n && amountNano >= minNano && amountNano <= maxNano) return;
  throw new ApiError('invalid_request_error', {
    param: 'amount',
    message: `'amount' must be whole cents from ${cents(minNano)} to ${cents(maxNano)} dollars.`,
  });
}

function cents(amountNano: NanoUsd): string {
  return toDecimalUsd(amountNano).slice(0, -'0000000'.length);
}
