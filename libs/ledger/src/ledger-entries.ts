import { toNanoUsd, type AmountsAsText, type NanoUsd } from '@farebox/money';
import type { Queryable } from '@farebox/database';

export type LedgerEntryKind = 'top_up' | 'charge' | 'refund' | 'adjustment';
type LedgerBook = 'customer' | 'funding' | 'revenue' | 'adjustments';

export interface LedgerEntry {
  id: string;
  kind: LedgerEntryKind;
  fromBook: LedgerBook;
  toBook: LedgerBook;
  /** Always positive; `toBook` tells its direction. */
  amountNano: NanoUsd;
  balanceAfterNano: NanoUsd;
  /** For a refund: the charge that it refunded. */
  refundedEntryId: string | null;
  /** For a charge and its refund, as long as the request is on record. */
  request: ChargedRequest | null;
  createdAt: Date;
}

/** The request of a charge. Its record has the id of the charge. */
interface ChargedRequest {
  id: string;
  requestId: string;
  modelId: string;
  apiKeyId: string;
}

export interface EntryPage {
  /** Entries older than this one. An id that is not the account's own gives an empty page. */
  afterId?: string | undefined;
  limit: number;
  kind?: LedgerEntryKind | undefined;
  /** Entries of this time or later. */
  start?: Date | undefined;
  /** Entries before this time. */
  end?: Date | undefined;
}

/** A kind in the text of a query lets the planner use the index that excludes charges. */
const KIND_CONDITIONS: Record<LedgerEntryKind, string> = {
  top_up: "AND kind = 'top_up'",
  charge: "AND kind = 'charge'",
  refund: "AND kind = 'refund'",
  adjustment: "AND kind = 'adjustment'",
};

/** An account's entries, newest first. The cost depends on the page, not on the length of the account's history. */
export async function listEntries(
  pool: Queryable,
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
  // The page first, then one record look-up for each of its rows.
  const { rows } = await pool.query<AmountsAsText<LedgerEntry, 'amountNano' | 'balanceAfterNano'>>(
    `SELECT e.*, record.request
     FROM (SELECT id, seq, kind, from_book AS "fromBook", to_book AS "toBook", amount_nano::text AS "amountNano",
            balance_after_nano::text AS "balanceAfterNano", refunded_entry_id AS "refundedEntryId",
            created_at AS "createdAt"
           FROM ledger_entry WHERE account_id = $1 ${conditions.join(' ')} ORDER BY seq DESC LIMIT $2) e
     LEFT JOIN LATERAL (
       SELECT json_build_object('id', u.id, 'requestId', u.request_id, 'modelId', u.model_id, 'apiKeyId', u.api_key_id)
              AS request
       FROM usage_record u
       WHERE u.id = CASE e.kind WHEN 'charge' THEN e.id WHEN 'refund' THEN e."refundedEntryId" END
         AND u.account_id = $1
       LIMIT 1
     ) record ON true
     ORDER BY e.seq DESC`,
    values,
  );
  return rows.map((row) => ({
    ...row,
    amountNano: toNanoUsd(BigInt(row.amountNano)),
    balanceAfterNano: toNanoUsd(BigInt(row.balanceAfterNano)),
  }));
}

/** How many entries a list has in all, which is found without reading charges; of other kinds no more than `most`. */
export async function countEntries(
  pool: Queryable,
  accountId: string,
  { afterId, kind, start, end, most }: Omit<EntryPage, 'limit'> & { most: number },
): Promise<number> {
  const { rows } = await pool.query<{ all: string; uncommon: string }>({
    name: 'count_entries',
    text: `SELECT greatest(0, range.high - range.low)::text AS "all", uncommon.count::text AS uncommon
     FROM (SELECT CASE WHEN $3::timestamptz IS NULL THEN 1 ELSE ledger_seq_at($1, $3) END AS low,
                  least(ledger_seq_at($1, $4),
                        (SELECT seq FROM ledger_entry WHERE id = $5 AND account_id = $1)) AS high
           OFFSET 0) range
     CROSS JOIN LATERAL (
       SELECT count(*) FROM (
         SELECT FROM ledger_entry e WHERE e.account_id = $1 AND e.kind <> 'charge'
           AND ($6::ledger_entry_kind IS NULL OR e.kind = $6) AND e.seq >= range.low AND e.seq < range.high LIMIT $2
       ) counted) uncommon`,
    values: [
      ...[accountId, most, start ?? null, end ?? null, afterId ?? null],
      kind === 'charge' ? null : (kind ?? null),
    ],
  });
  const all = Number(rows[0]?.all ?? 0);
  const uncommon = Number(rows[0]?.uncommon ?? 0);
  if (kind === undefined) return all;
  return kind === 'charge' ? all - uncommon : uncommon;
}

const EXPORTED_TOGETHER = 500;

/** All entries of a range, newest first, in parts that are read one after the other. */
export async function* readEntries(
  pool: Queryable,
  accountId: string,
  range: Omit<EntryPage, 'limit'>,
): AsyncGenerator<LedgerEntry[]> {
  let { afterId } = range;
  for (;;) {
    const entries = await listEntries(pool, accountId, { ...range, afterId, limit: EXPORTED_TOGETHER });
    yield entries;
    if (entries.length < EXPORTED_TOGETHER) return;
    afterId = entries.at(-1)?.id;
  }
}

/** Whether an entry belongs to the account. */
export async function ownsEntry(pool: Queryable, accountId: string, entryId: string): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM ledger_entry WHERE account_id = $1 AND id = $2', [
    accountId,
    entryId,
  ]);
  return rowCount === 1;
}

/** The account of an entry. Undefined if there is no such entry. */
export async function ownerOfEntry(pool: Queryable, entryId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ accountId: string }>(
    'SELECT account_id AS "accountId" FROM ledger_entry WHERE id = $1',
    [entryId],
  );
  return rows[0]?.accountId;
}

/** A top-up as its account sees it. Has the id of its ledger entry. */
export interface Funding {
  id: string;
  /** How it was paid, e.g. `manual` or `card`. */
  method: string;
  amountNano: NanoUsd;
  createdAt: Date;
}

/**
 * An account's top-ups, newest first: those before the top-up `afterId`. An id that is not the account's own gives an
 * empty page.
 */
export async function listFundings(
  pool: Queryable,
  accountId: string,
  { afterId, limit }: { afterId?: string | undefined; limit: number },
): Promise<Funding[]> {
  const { rows } = await pool.query<AmountsAsText<Funding, 'amountNano'>>(
    `SELECT id, method, amount_nano::text AS "amountNano", created_at AS "createdAt" FROM funding
     WHERE account_id = $1
       AND ($2::uuid IS NULL OR id < (SELECT id FROM funding WHERE id = $2 AND account_id = $1))
     ORDER BY id DESC LIMIT $3`,
    [accountId, afterId ?? null, limit],
  );
  return rows.map((row) => ({ ...row, amountNano: toNanoUsd(BigInt(row.amountNano)) }));
}

/** Whether a top-up belongs to the account. */
export async function ownsFunding(pool: Queryable, accountId: string, fundingId: string): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM funding WHERE account_id = $1 AND id = $2', [
    accountId,
    fundingId,
  ]);
  return rowCount === 1;
}
