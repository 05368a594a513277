import { z } from 'zod';
import { buyerRecord, sellerRecord } from '../billing-details/schema';
import {
  currency,
  formatParameter,
  listPage,
  pageLimit,
  roundedUsd,
  unixSeconds,
  usdAmount,
} from '../fields';

const RECEIPT_NUMBER = /^REC-\d{4}-\d{6,9}$/;
const CURSOR_MESSAGE = 'must be the number of a receipt, like REC-2026-000042';

export const receiptNumber = z
  .string()
  .regex(RECEIPT_NUMBER)
  .describe('Consecutive within a year, across the whole service.');

/** `GET /v1/billing/receipts/{receipt_number}`. */
export const paymentReceipt = z.strictObject({
  object: z.literal('payment_receipt'),
  number: receiptNumber,
  funding_id: z.string().regex(/^fund_[0-9a-z]{26}$/),
  transaction_id: z.string().regex(/^txn_[0-9a-z]{26}$/),
  method: z.string().describe('How it was paid: card, or manual if the operator credited it.'),
  amount: usdAmount,
  amount_rounded: roundedUsd,
  currency,
  customer: buyerRecord,
  seller: sellerRecord,
  paid_at: unixSeconds,
  issued_at: unixSeconds,
});
export type PaymentReceiptRecord = z.output<typeof paymentReceipt>;

export const paymentReceiptList = listPage(paymentReceipt);

/** `GET /v1/billing/receipts`. */
export const listPaymentReceiptsQuery = z.strictObject({
  limit: pageLimit,
  after: z.string(CURSOR_MESSAGE).regex(RECEIPT_NUMBER, CURSOR_MESSAGE).optional(),
});

/** `GET /v1/billing/receipts/{receipt_number}`. */
export const getPaymentReceiptQuery = z.strictObject(formatParameter(['json', 'html', 'pdf']));

/** Whether a text can be the number of a receipt. */
export function isReceiptNumber(text: unknown): text is string {
  return typeof text === 'string' && RECEIPT_NUMBER.test(text);
}
