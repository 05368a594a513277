import { z } from 'zod';
import { listPage, pageParameters } from '../list-page';
import { currency, usdAmount } from '../money';
import { endAfterStart, timeRangeParameters, unixSeconds } from '../time';

const TRANSACTION_TYPES = ['top_up', 'charge', 'refund', 'adjustment'] as const;

const transactionId = z.string().regex(/^txn_[0-9a-z]{26}$/);

/** An entry of the account's ledger. */
export const transactionRecord = z.strictObject({
  object: z.literal('transaction'),
  id: transactionId,
  type: z.enum(TRANSACTION_TYPES),
  /** What the balance changed by: negative for a charge. */
  amount: usdAmount,
  currency,
  balance_after: usdAmount,
  /** Of a refund: the charge that it gives back. */
  refunded_transaction_id: transactionId.nullable(),
  created_at: unixSeconds,
});
export type TransactionRecord = z.output<typeof transactionRecord>;

export const transactionList = listPage(transactionRecord);

/** `GET /v1/billing/transactions`. */
export const listTransactionsQuery = z
  .strictObject({
    ...pageParameters('txn'),
    ...timeRangeParameters,
    type: z.enum(TRANSACTION_TYPES, `must be one of ${TRANSACTION_TYPES.join(', ')}`).optional(),
  })
  .refine(...endAfterStart);
export type ListTransactionsQuery = z.output<typeof listTransactionsQuery>;
