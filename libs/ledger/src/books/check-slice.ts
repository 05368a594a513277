import type pg from 'pg';
import { checkCosts, COST_CHECK, type ReadPrices } from './check-costs';
import { checksOfAccounts } from './checks-of-accounts';
import { checksOfRecords } from './checks-of-records';
import type { SliceOfBooks } from './sources';

export interface Difference {
  /** Which of the checks found it. */
  check: string;
  /** Null if the difference is not one account's. */
  accountId: string | null;
  detail: string;
}

/** Some accounts, read in one snapshot, or one account with many entries, read in parts. */
export interface Slice {
  /** Accounts after this one; undefined: from the first. */
  after: string | undefined;
  /** Up to this one, or up to before it; undefined: to the last. Rows of accounts that do not exist are read, too. */
  upTo: { accountId: string; isIncluded: boolean } | undefined;
  accountIds: string[];
  /** The one account that is read in parts. */
  isInParts: boolean;
}

export interface SliceReading {
  /** Whether all of the books are read, or what came since they were read last. */
  isOfWhole: boolean;
  /** From when on sums of usage are compared if not all is read. */
  since: string | undefined;
  /** Most entries of a part of an account. */
  mostEntries: number;
  /** Undefined: what requests cost is taken as it stands. */
  readPrices: ReadPrices | undefined;
}

export interface SliceResult {
  differences: Difference[];
  /** Entries that were read. */
  entries: bigint;
  /** False if more parts of the account are to be read. */
  isLast: boolean;
}

export const DIFFERENCES_PER_CHECK = 10;
const MEMORY_PER_STEP = '64MB';

/**
 * Reads a slice, or the next part of one, in one snapshot, and notes in the same transaction what it found right. Where
 * something differs nothing is noted. `isFirst`: a whole reading of an account in parts begins.
 */
export async function checkSlice(
  client: pg.ClientBase,
  slice: Slice,
  reading: SliceReading,
  isFirst: boolean,
): Promise<SliceResult> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  let isRight = false;
  try {
    await client.query(`SET LOCAL statement_timeout = 0; SET LOCAL work_mem = '${MEMORY_PER_STEP}'`);
    // Before the snapshot: no partition is taken away that the snapshot still holds for needed.
    await client.query('LOCK TABLE ONLY usage_record IN ACCESS SHARE MODE');
    const part = slice.isInParts ? await beginPart(client, slice, reading, isFirst) : undefined;
    const anew = reading.isOfWhole && !part;
    const books: SliceOfBooks = {
      isOf: conditionOf(slice),
      reads: anew ? 'all' : 'new',
      isOfWhole: reading.isOfWhole,
      until: part?.until,
      forgottenBefore: await readForgottenBefore(client),
      // Sums are written later than what they are of: up to `since`, and no further, they were compared by the last round.
      sumsFrom: (isFirst ? undefined : part?.notedUntil) ?? reading.since ?? '-infinity',
    };
    const differences: Difference[] = [];
    const checks = { ...checksOfRecords(books), ...(!part?.until && checksOfAccounts(books)) };
    for (const [check, sql] of Object.entries(checks)) {
      const { rows } = await client.query<{ account_id: string | null; detail: string }>(
        `SELECT account_id::text, detail FROM (${sql}) found LIMIT ${String(DIFFERENCES_PER_CHECK)}`,
      );
      differences.push(...rows.map((row) => ({ check, accountId: row.account_id, detail: row.detail })));
    }
    if (reading.readPrices) {
      const found = await checkCosts(client, books, reading.readPrices);
      differences.push(
        ...found.map((row) => ({ check: COST_CHECK, accountId: row.account_id, detail: row.detail })),
      );
    }
    const entries = await countEntries(client, slice.accountIds, anew, part?.until?.seq);
    isRight = differences.length === 0;
    if (isRight) {
      await client.query('SELECT ledger_note_verified($1, $2, $3, $4)', [
        ...[slice.accountIds, part?.until?.seq ?? null, part?.until?.time ?? null, anew],
      ]);
    }
    return { differences, entries, isLast: !isRight || part?.until === undefined };
  } finally {
    await client.query(isRight ? 'COMMIT' : 'ROLLBACK');
  }
}

/** As SQL. Ids are the database's own, and of nothing but hexadecimal digits and hyphens. */
function conditionOf({ after, upTo, isInParts, accountIds }: Slice): (accountId: string) => string {
  if (isInParts) return (accountId) => `${accountId} = '${String(accountIds[0])}'`;
  return (accountId) =>
    [
      'true',
      ...(after === undefined ? [] : [`${accountId} > '${after}'`]),
      ...(upTo ? [`${accountId} ${upTo.isIncluded ? '<=' : '<'} '${upTo.accountId}'`] : []),
    ].join(' AND ');
}

interface Part {
  /** Undefined: the last part. */
  until: { seq: string; time: string } | undefined;
  /** Up to when request records were read before. */
  notedUntil: string;
}

/** A part ends with an hour, so that what is counted by the hour is compared whole, and once. */
async function beginPart(
  client: pg.ClientBase,
  { accountIds: [accountId] }: Slice,
  { isOfWhole, mostEntries }: SliceReading,
  isFirst: boolean,
): Promise<Part> {
  if (isOfWhole && isFirst) await client.query('SELECT ledger_purge_verified($1)', [accountId]);
  const { rows } = await client.query<{ seq: string; noted_until: string; last_seq: string }>(
    `SELECT coalesce(c.seq, 0)::text AS seq, f.last_seq::text,
            ${toText(`coalesce(c.recorded_at, '-infinity')`)} AS noted_until
     FROM account_funds f LEFT JOIN ledger_checkpoint_account c ON c.account_id = f.account_id
     WHERE f.account_id = $1`,
    [accountId],
  );
  const [noted] = rows;
  // Its funds are gone: the last part finds what is left of it.
  if (!noted) return { until: undefined, notedUntil: '-infinity' };
  const lastSeq = BigInt(noted.last_seq);
  for (let seq = BigInt(noted.seq) + BigInt(mostEntries); seq < lastSeq; seq += BigInt(mostEntries)) {
    const until = await endOfHourBefore(client, String(accountId), noted.seq, String(seq));
    if (until) return { until, notedUntil: noted.noted_until };
  }
  return { until: undefined, notedUntil: noted.noted_until };
}

/** The end of the last hour that is over by this entry; none if all entries from the first on are of one hour. */
async function endOfHourBefore(
  client: pg.ClientBase,
  accountId: string,
  afterSeq: string,
  seq: string,
): Promise<Part['until']> {
  const { rows } = await client.query<{ seq: string; time: string }>(
    `SELECT e.seq::text, ${toText(`h.hour - interval '1 microsecond'`)} AS time
     FROM (SELECT date_trunc('hour', created_at, 'UTC') AS hour FROM ledger_entry
           WHERE account_id = $1 AND seq = $3) h
     CROSS JOIN LATERAL (SELECT seq FROM ledger_entry
                         WHERE account_id = $1 AND seq > $2 AND seq < $3 AND created_at < h.hour
                         ORDER BY seq DESC LIMIT 1) e`,
    [accountId, afterSeq, seq],
  );
  return rows[0];
}

async function readForgottenBefore(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ time: string }>(
    `SELECT ${toText('forgotten_before')} AS time FROM usage_retention`,
  );
  if (!rows[0]) throw new Error('usage_retention has no row');
  return rows[0].time;
}

async function countEntries(
  client: pg.ClientBase,
  accountIds: readonly string[],
  anew: boolean,
  untilSeq: string | undefined,
): Promise<bigint> {
  const { rows } = await client.query<{ entries: string }>(
    `SELECT coalesce(sum(coalesce($2::bigint, f.last_seq) - CASE WHEN $3 THEN 0 ELSE coalesce(c.seq, 0) END), 0)::text
              AS entries
     FROM account_funds f LEFT JOIN ledger_checkpoint_account c ON c.account_id = f.account_id
     WHERE f.account_id = ANY ($1)`,
    [accountIds, untilSeq ?? null, anew],
  );
  return BigInt(rows[0]?.entries ?? 0);
}

/** A time as text, to the microsecond. */
export function toText(expression: string): string {
  return `CASE WHEN isfinite(${expression}) THEN to_char((${expression}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
          ELSE (${expression})::text END`;
}
