import { z } from 'zod';
import { listPage, pageParameters } from '../list-page';
import { currency, usdAmount } from '../money';
import { unixSeconds } from '../time';

/** A top-up of the account. */
export const fundingRecord = z.strictObject({
  object: z.literal('funding'),
  id: z.string().regex(/^fund_[0-9a-z]{26}$/),
  method: z.string().describe('How it was paid: card, or manual where the operator credited it.'),
  amount: usdAmount,
  currency,
  transaction_id: z
    .string()
    .regex(/^txn_[0-9a-z]{26}$/)
    .describe('The entry of it in the transactions.'),
  created_at: unixSeconds,
});
export type FundingRecord = z.output<typeof fundingRecord>;

/** A way to add funds that is switched on. */
export const fundingMethod = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('manual') }).describe('The operator credits what was paid to him.'),
  z
    .strictObject({ type: z.literal('card'), min_amount: usdAmount, max_amount: usdAmount, currency })
    .describe('POST /v1/billing/funding/checkouts begins a payment within these bounds.'),
]);
export type FundingMethod = z.output<typeof fundingMethod>;

/** `GET /v1/billing/funding`. */
export const fundingList = listPage(fundingRecord).extend({ methods: z.array(fundingMethod) });
export type FundingList = z.output<typeof fundingList>;

export const listFundingQuery = z.strictObject(pageParameters('fund'));
export type ListFundingQuery = z.output<typeof listFundingQuery>;
