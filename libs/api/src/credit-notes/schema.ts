import { z } from 'zod';
import { buyerRecord, sellerRecord } from '../billing-details/schema';
import { currency, listPage, roundedUsd, unixSeconds, usdAmount } from '../fields';
import { documentUsage, numberedDocument } from '../numbered-document';

const numbered = numberedDocument('CRN', 'a credit note');

const line = z.strictObject({
  ...documentUsage,
  amount: usdAmount,
});

/** `GET /v1/billing/credit-notes/{credit_note_number}`. */
export const creditNote = z.strictObject({
  object: z.literal('credit_note'),
  number: numbered.number,
  invoice_number: z.string().nullable().describe('The invoice whose charges were given back.'),
  receipt_number: z.string().nullable().describe('The receipt of the payment that was taken back.'),
  month: z
    .string()
    .nullable()
    .describe('For an invoice: the UTC calendar month in which the charges were given back, like 2026-11.'),
  reason: z.string(),
  amount: usdAmount.describe(
    'What was given back. Negative if a payment that had been taken back came again, as after a refund that failed.',
  ),
  amount_rounded: roundedUsd,
  currency,
  customer: buyerRecord,
  seller: sellerRecord,
  lines: z.array(line).describe('By model, for an invoice. They sum to the amount.'),
  issued_at: unixSeconds,
});
export type CreditNoteRecord = z.output<typeof creditNote>;

export const creditNoteList = listPage(creditNote);

/** `GET /v1/billing/credit-notes`. */
export const listCreditNotesQuery = numbered.listQuery;

/** `GET /v1/billing/credit-notes/{credit_note_number}`. */
export const getCreditNoteQuery = numbered.getQuery;

export const isCreditNoteNumber = numbered.isNumber;
