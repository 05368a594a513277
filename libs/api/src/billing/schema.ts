import { z } from 'zod';
import { buyerRecord, sellerRecord } from '../billing-details/schema';
import { pricing } from '../models/schema';
import { documentUsage, numberedDocument } from '../numbered-document';
import { receiptNumber } from '../payment-receipts/schema';
import {
  currency,
  endAfterStart,
  formatParameter,
  keyName,
  listPage,
  pageParameters,
  positiveUsdAmount,
  roundedUsd,
  timeRangeParameters,
  unixSeconds,
  usdAmount,
} from '../fields';

/** `GET /v1/billing/balance`. */
export const balanceRecord = z.strictObject({
  object: z.literal('balance'),
  currency,
  /** Money that the account has paid in and not spent. */
  balance: usdAmount,
  /** The part of it that is reserved for running requests. */
  held: usdAmount,
  /** The amount that a new request can hold: `balance` less `held`. */
  available: usdAmount,
});
export type BalanceRecord = z.output<typeof balanceRecord>;

const TRANSACTION_TYPES = ['top_up', 'charge', 'refund', 'adjustment'] as const;

const usageId = z.string().regex(/^chatcmpl-[0-9a-z]{26}$/);
const transactionId = z.string().regex(/^txn_[0-9a-z]{26}$/);

/** An entry of the account's ledger. */
export const transactionRecord = z.strictObject({
  object: z.literal('transaction'),
  id: transactionId,
  type: z.enum(TRANSACTION_TYPES),
  /** The change of the balance: negative for a charge. */
  amount: usdAmount,
  currency,
  balance_after: usdAmount,
  /** For a refund: the charge that it refunds. */
  refunded_transaction_id: transactionId.nullable(),
  usage_id: usageId
    .nullable()
    .describe(
      'Of a charge and its refund: the request, as `GET /v1/usage` lists it. Null once it is not kept any more.',
    ),
  request_id: z.string().nullable().describe('The `X-Service-Request-Id` of that request.'),
  model: z.string().nullable(),
  key_public_id: z
    .string()
    .regex(/^key_[0-9a-z]{26}$/)
    .nullable(),
  key_name: keyName,
  created_at: unixSeconds,
});
export type TransactionRecord = z.output<typeof transactionRecord>;

export const transactionList = listPage(transactionRecord);

/** `GET /v1/billing/transactions`. */
export const listTransactionsQuery = z
  .strictObject({
    ...pageParameters('txn'),
    ...timeRangeParameters,
    ...formatParameter(['json', 'csv']),
    type: z.enum(TRANSACTION_TYPES, `must be one of ${TRANSACTION_TYPES.join(', ')}`).optional(),
  })
  .refine(...endAfterStart);

const numberedInvoice = numberedDocument('INV', 'an invoice');

/** An invoice without its lines. */
const invoiceHead = {
  object: z.literal('invoice'),
  number: numberedInvoice.number,
  month: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .describe('The UTC calendar month, like 2026-10.'),
  total: usdAmount.describe('The sum of the lines. Negative if more was refunded than charged.'),
  total_rounded: roundedUsd,
  top_ups: usdAmount.describe('What was paid in during the month, for information.'),
  currency,
  issued_at: unixSeconds,
};
export const invoiceSummary = z.strictObject(invoiceHead);
export type InvoiceSummary = z.output<typeof invoiceSummary>;

const invoiceLine = z.strictObject({
  type: z.enum(['usage', 'refund']).describe('A refund gives charges back.'),
  ...documentUsage,
  prices: z
    .array(pricing.extend({ starts_at: unixSeconds }))
    .describe(
      'The prices that were in force in the month, oldest first; none for a refund. Each request was charged at those of ' +
        'its admission, and its cost rounded up to a billionth of a dollar.',
    ),
  amount: usdAmount.describe('Negative for a refund.'),
});

/** `GET /v1/billing/invoices/{number}`. */
export const invoiceRecord = z.strictObject({
  ...invoiceHead,
  customer: buyerRecord,
  seller: sellerRecord,
  lines: z.array(invoiceLine),
});
export type InvoiceRecord = z.output<typeof invoiceRecord>;

export const invoiceList = listPage(invoiceSummary);

/** `GET /v1/billing/invoices`. */
export const listInvoicesQuery = numberedInvoice.listQuery;

/** `GET /v1/billing/invoices/{number}`. */
export const getInvoiceQuery = numberedInvoice.getQuery;

export const isInvoiceNumber = numberedInvoice.isNumber;

/** A top-up of the account. */
export const fundingRecord = z.strictObject({
  object: z.literal('funding'),
  id: z.string().regex(/^fund_[0-9a-z]{26}$/),
  method: z
    .string()
    .describe('How it was paid: card, voucher, or manual or credit if the operator credited it.'),
  amount: usdAmount,
  currency,
  transaction_id: z
    .string()
    .regex(/^txn_[0-9a-z]{26}$/)
    .describe('The entry of it in the transactions.'),
  receipt_number: receiptNumber.nullable(),
  created_at: unixSeconds,
});
export type FundingRecord = z.output<typeof fundingRecord>;

/** A funding method that is switched on. */
const fundingMethod = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('manual') }).describe('The operator credits what was paid to them.'),
  z
    .strictObject({ type: z.literal('card'), min_amount: usdAmount, max_amount: usdAmount, currency })
    .describe('POST /v1/billing/funding/checkouts begins a payment within these bounds.'),
]);
export type FundingMethod = z.output<typeof fundingMethod>;

/** `GET /v1/billing/funding`. */
export const fundingList = listPage(fundingRecord).extend({ methods: z.array(fundingMethod) });
export type FundingList = z.output<typeof fundingList>;

export const listFundingQuery = z.strictObject(pageParameters('fund'));

/** `POST /v1/billing/funding/checkouts`. */
export const createCheckoutBody = z.strictObject({
  amount: positiveUsdAmount().describe(
    'Dollars in whole cents, within the bounds that GET /v1/billing/funding names.',
  ),
});

const checkoutId = z.string().regex(/^chk_[0-9a-z]{26}$/);

/** A card payment that was begun. Nothing is credited before it is paid. */
export const checkoutRecord = z.strictObject({
  object: z.literal('checkout'),
  id: checkoutId,
  url: z.url().describe("The payment provider's page on which the customer pays."),
  amount: usdAmount,
  currency,
  created_at: unixSeconds,
  expires_at: unixSeconds,
});
export type CheckoutRecord = z.output<typeof checkoutRecord>;

/** `GET /v1/billing/funding/checkouts/{checkout_id}`. */
export const checkoutStatus = z.strictObject({
  object: z.literal('checkout_status'),
  id: checkoutId,
  status: z
    .enum(['open', 'awaiting', 'paid', 'ended'])
    .describe(
      '`open`: not paid yet. `awaiting`: ordered, and not there yet. `paid`: on the balance. `ended`: it does not arrive.',
    ),
  amount: usdAmount,
  currency,
  receipt_number: receiptNumber.nullable().describe('Of the receipt, once it is paid.'),
  created_at: unixSeconds,
});
export type CheckoutStatus = z.output<typeof checkoutStatus>;

/** `POST /webhooks/stripe`: an event of Stripe's, in Stripe's own form. */
export const stripeEvent = z.looseObject({ id: z.string(), type: z.string() });

/** Its response. */
export const webhookReceipt = z.strictObject({ received: z.literal(true) });
