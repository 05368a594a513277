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
  /** Entries of this time or later. */
  start?: Date | undefined;
  /** Entries of before this time. */
  end?: Date | undefined;
}

/** A kind in the text of a query lets the planner take the index that leaves charges out. */
const KIND_CONDITIONS: Record<LedgerEntryKind, string> = {
  top_up: "AND kind = 'top_up'",
  charge: "AND kind = 'charge'",
  refund: "AND kind = 'refund'",
  adjustment: "AND kind = 'adjustment'",
};

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

/** An account's entries, newest first. Costs a page, however long the account's history is. */
export async function listEntries(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { afterId, limit, kind, start, end }: EntryPage,
): Promise<LedgerEntry[]> {
  const values: unknown[] = [accountId, limit];
  const conditions = [kind === undefined ? '' : KIND_CONDITIONS[kind]];
  const restrict = (condition: (parameter: string) => string, value: unknown): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(`AND ${condition(`$${String(values.length)}`)}`);
  };
  restrict((id) => `seq < (SELECT seq FROM ledger_entry WHERE id = ${id} AND account_id = $1)`, afterId);
  restrict((time) => `seq >= (SELECT ledger_seq_at($1, ${time}::timestamptz))`, start);
  restrict((time) => `seq < (SELECT ledger_seq_at($1, ${time}::timestamptz))`, end);
  const { rows } = await pool.query<EntryRow>(
    `SELECT id, kind, from_book, to_book, amount_nano::text, balance_after_nano::text, refunded_entry_id, created_at
     FROM ledger_entry WHERE account_id = $1 ${conditions.join(' ')} ORDER BY seq DESC LIMIT $2`,
    values,
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

/** Whether an entry is of the account's ledger. */
export async function ownsEntry(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  entryId: string,
): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM ledger_entry WHERE account_id = $1 AND id = $2', [
    accountId,
    entryId,
  ]);
  return rowCount === 1;
}

/** A top-up as its account sees it. Has the id of its ledger entry. */
export interface Funding {
  id: string;
  /** How it was paid, e.g. `manual` or `card`. */
  method: string;
  amountNano: NanoUsd;
  createdAt: Date;
}

interface FundingRow {
  id: string;
  method: string;
  amount_nano: string;
  created_at: Date;
}

/**
 * An account's top-ups, newest first: those before the top-up `afterId`. An id that is not the account's own gives an
 * empty page.
 */
export async function listFundings(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { afterId, limit }: { afterId?: string | undefined; limit: number },
): Promise<Funding[]> {
  const { rows } = await pool.query<FundingRow>(
    `SELECT id, method, amount_nano::text, created_at FROM funding
     WHERE account_id = $1
       AND ($2::uuid IS NULL OR id < (SELECT id FROM funding WHERE id = $2 AND account_id = $1))
     ORDER BY id DESC LIMIT $3`,
    [accountId, afterId ?? null, limit],
  );
  return rows.map(({ id, method, amount_nano, created_at }) => ({
    id,
    method,
    amountNano: toNanoUsd(BigInt(amount_nano)),
    createdAt: created_at,
  }));
}

/** Whether a top-up is the account's. */
export async function ownsFunding(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  fundingId: string,
): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM funding WHERE account_id = $1 AND id = $2', [
    accountId,
    fundingId,
  ]);
  return rowCount === 1;
}
