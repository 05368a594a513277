import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';

export type LedgerEntryKind = 'top_up' | 'charge' | 'refund' | 'adjustment';
export type LedgerBook = 'customer' | 'funding' | 'revenue' | 'adjustments';

export interface LedgerEntry {
  id: string;
  kind: LedgerEntryKind;
  fromBook: LedgerBook;
  toBook: LedgerBook;
  /** Always positive; `toBook` says in which direction it went. */
  amountNano: NanoUsd;
  balanceAfterNano: NanoUsd;
  /** Of a refund: the charge that it gave back. */
  refundedEntryId: string | null;
  createdAt: Date;
}

export interface EntryPage {
  /** Entries older than this one. An id that is not the account's own gives an empty page. */
  afterId?: string | undefined;
  limit: number;
  kind?: LedgerEntryKind | undefined;
}

interface EntryRow {
  id: string;
  kind: LedgerEntryKind;
  from_book: LedgerBook;
  to_book: LedgerBook;
  amount_nano: string;
  balance_after_nano: string;
  refunded_entry_id: string | null;
  created_at: Date;
}

/** An account's entries, newest first. */
export async function listEntries(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { afterId, limit, kind }: EntryPage,
): Promise<LedgerEntry[]> {
  const { rows } = await pool.query<EntryRow>(
    `SELECT id, kind, from_book, to_book, amount_nano::text, balance_after_nano::text, refunded_entry_id, created_at
     FROM ledger_entry
     WHERE account_id = $1
       AND ($2::uuid IS NULL OR seq < (SELECT seq FROM ledger_entry WHERE id = $2 AND account_id = $1))
       AND ($3::ledger_entry_kind IS NULL OR kind = $3)
     ORDER BY seq DESC LIMIT $4`,
    [accountId, afterId ?? null, kind ?? null, limit],
  );
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    fromBook: row.from_book,
    toBook: row.to_book,
    amountNano: toNanoUsd(BigInt(row.amount_nano)),
    balanceAfterNano: toNanoUsd(BigInt(row.balance_after_nano)),
    refundedEntryId: row.refunded_entry_id,
    createdAt: row.created_at,
  }));
}
