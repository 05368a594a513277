import { toUnixSeconds, type TransactionRecord } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import type { LedgerEntry } from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import type { CsvColumn } from '../csv';

/** A ledger entry as its account sees it: what left the customer's book is negative. */
export function toTransactionRecord(entry: LedgerEntry): TransactionRecord {
  const amountNano = entry.toBook === 'customer' ? entry.amountNano : toNanoUsd(0n - entry.amountNano);
  return {
    object: 'transaction',
    id: toPublicId('txn', entry.id),
    type: entry.kind,
    amount: toDecimalUsd(amountNano),
    currency: 'usd',
    balance_after: toDecimalUsd(entry.balanceAfterNano),
    refunded_transaction_id: entry.refundedEntryId === null ? null : toPublicId('txn', entry.refundedEntryId),
    created_at: toUnixSeconds(entry.createdAt),
  };
}

/** The fields of a record, as they are named in JSON. */
export const TRANSACTION_COLUMNS: readonly CsvColumn<TransactionRecord>[] = (
  ['id', 'created_at', 'type', 'amount', 'currency', 'balance_after', 'refunded_transaction_id'] as const
).map((name) => ({ name, valueOf: (record) => record[name] }));
