import { z } from 'zod';
import { currency, positiveUsdAmount, usdAmount } from '../money';
import { unixSeconds } from '../time';

/** `POST /v1/billing/funding/checkouts`. */
export const createCheckoutBody = z.strictObject({
  amount: positiveUsdAmount().describe(
    'Dollars in whole cents, within the bounds that GET /v1/billing/funding names.',
  ),
});
export type CreateCheckoutBody = z.output<typeof createCheckoutBody>;

/** A card payment that was begun. Nothing is credited before it is paid. */
export const checkoutRecord = z.strictObject({
  object: z.literal('checkout'),
  url: z.url().describe("Where the customer pays: a page of the payment provider's."),
  amount: usdAmount,
  currency,
  created_at: unixSeconds,
  expires_at: unixSeconds,
});
export type CheckoutRecord = z.output<typeof checkoutRecord>;
