import { z } from 'zod';
import { buyerRecord, sellerRecord } from '../billing-details/schema';
import { currency, listPage, roundedUsd, unixSeconds, usdAmount } from '../fields';
import { numberedDocument } from '../numbered-document';

const numbered = numberedDocument('REC', 'a receipt');

export const receiptNumber = numbered.number;

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
export const listPaymentReceiptsQuery = numbered.listQuery;

/** `GET /v1/billing/receipts/{receipt_number}`. */
export const getPaymentReceiptQuery = numbered.getQuery;

export const isReceiptNumber = numbered.isNumber;
