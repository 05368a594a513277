import { z } from 'zod';
import { listPage, pageLimit } from '../list-page';
import { currency, usdAmount } from '../money';
import { unixSeconds } from '../time';

const INVOICE_NUMBER = /^INV-\d{4}-\d{6,9}$/;
const CURSOR_MESSAGE = 'must be the number of an invoice, like INV-2026-000042';

const invoiceNumber = z
  .string()
  .regex(INVOICE_NUMBER)
  .describe('Of a year, without a gap over the whole service.');

/** An invoice without its lines. */
const invoiceHead = {
  object: z.literal('invoice'),
  number: invoiceNumber,
  month: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .describe('The UTC calendar month, like 2026-10.'),
  total: usdAmount.describe('The sum of the lines. Negative where more was given back than charged.'),
  top_ups: usdAmount.describe('For information: what was paid in during the month.'),
  currency,
  issued_at: unixSeconds,
};
export const invoiceSummary = z.strictObject(invoiceHead);
export type InvoiceSummary = z.output<typeof invoiceSummary>;

export const invoiceLine = z.strictObject({
  type: z.enum(['usage', 'refund']).describe('A refund gives charges back.'),
  model: z.string(),
  requests: z.int().min(0),
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  amount: usdAmount.describe('Negative for a refund.'),
});

/** `GET /v1/billing/invoices/{number}`. */
export const invoiceRecord = z.strictObject({
  ...invoiceHead,
  customer: z
    .strictObject({ name: z.string(), email: z.string() })
    .describe('The account as it was when the invoice was issued.'),
  lines: z.array(invoiceLine),
});
export type InvoiceRecord = z.output<typeof invoiceRecord>;

export const invoiceList = listPage(invoiceSummary);

/** `GET /v1/billing/invoices`. */
export const listInvoicesQuery = z.strictObject({
  limit: pageLimit,
  after: z.string(CURSOR_MESSAGE).regex(INVOICE_NUMBER, CURSOR_MESSAGE).optional(),
});
export type ListInvoicesQuery = z.output<typeof listInvoicesQuery>;

/** Whether a text can be the number of an invoice. */
export function isInvoiceNumber(text: unknown): text is string {
  return typeof text === 'string' && INVOICE_NUMBER.test(text);
}
