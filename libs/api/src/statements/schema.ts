import { z } from 'zod';
import { currency, formatParameter, listPage, pageLimit, unixSeconds, usdAmount } from '../fields';

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const CURSOR_MESSAGE = 'must be a month, like 2026-10';

const LINE_TYPES = ['top_up', 'charge', 'refund', 'credit', 'debit'] as const;

/** `GET /v1/billing/statements/{month}`. */
export const statementRecord = z.strictObject({
  object: z.literal('statement'),
  month: z.string().regex(MONTH).describe('The UTC calendar month, like 2026-10.'),
  status: z
    .enum(['open', 'closed'])
    .describe('`open`: the month is not over, and the statement still changes.'),
  starts_at: unixSeconds,
  ends_at: unixSeconds.describe('The beginning of the next month.'),
  currency,
  opening_balance: usdAmount,
  lines: z
    .array(
      z.strictObject({
        type: z
          .enum(LINE_TYPES)
          .describe(
            '`credit` and `debit` are adjustments: what the operator gave, and what they or a payment that was taken back ' +
              'took.',
          ),
        transactions: z.int().min(0),
        amount: usdAmount.describe('The change of the balance: negative for charges and debits.'),
      }),
    )
    .describe('One of each type, in this order, with zeros if there was nothing.'),
  closing_balance: usdAmount.describe('The opening balance and all lines.'),
});
export type StatementRecord = z.output<typeof statementRecord>;

export const statementList = listPage(statementRecord);

/** `GET /v1/billing/statements`. */
export const listStatementsQuery = z.strictObject({
  limit: pageLimit,
  after: z.string(CURSOR_MESSAGE).regex(MONTH, CURSOR_MESSAGE).optional(),
});

/** `GET /v1/billing/statements/{month}`. */
export const getStatementQuery = z.strictObject(formatParameter(['json', 'csv']));

/** Whether a text can be the month of a statement. */
export function isMonth(text: unknown): text is string {
  return typeof text === 'string' && MONTH.test(text);
}
