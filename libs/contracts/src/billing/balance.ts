import { z } from 'zod';
import { currency, usdAmount } from '../money';

/** `GET /v1/billing/balance`. */
export const balanceRecord = z.strictObject({
  object: z.literal('balance'),
  currency,
  /** What the account has paid in and not spent. */
  balance: usdAmount,
  /** The part of it that is set aside for requests under way. */
  held: usdAmount,
  /** What a new request can be held against: `balance` less `held`. */
  available: usdAmount,
});
export type BalanceRecord = z.output<typeof balanceRecord>;
