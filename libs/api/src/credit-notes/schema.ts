import { byTokenColumn, WHOLE_OF } from '@farebox/money';
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

const CREDIT_NOTE_NUMBER = /^CRN-\d{4}-\d{6,9}$/;
const CURSOR_MESSAGE = 'must be the number of a credit note, like CRN-2026-000042';

const line = z.strictObject({
  model: z.string(),
  requests: z.int().min(0),
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  ...byTokenColumn((kind) =>
    z.int().min(0).describe(`Of the ${WHOLE_OF[kind]} tokens, as far as the model told.`),
  ),
  amount: usdAmount,
});

/** `GET /v1/billing/credit-notes/{credit_note_number}`. */
export const creditNote = z.strictObject({
  object: z.literal('credit_note'),
  number: z
    .string()
    .regex(CREDIT_NOTE_NUMBER)
    .describe('Consecutive within a year, across the whole service.'),
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
export const listCreditNotesQuery = z.strictObject({
  limit: pageLimit,
  after: z.string(CURSOR_MESSAGE).regex(CREDIT_NOTE_NUMBER, CURSOR_MESSAGE).optional(),
});

/** `GET /v1/billing/credit-notes/{credit_note_number}`. */
export const getCreditNoteQuery = z.strictObject(formatParameter(['json', 'html', 'pdf']));

/** Whether a text can be the number of a credit note. */
export function isCreditNoteNumber(text: unknown): text is string {
  return typeof text === 'string' && CREDIT_NOTE_NUMBER.test(text);
}
