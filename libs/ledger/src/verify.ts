import type pg from 'pg';
import { checksOf } from './verify-checks';

export interface Difference {
  /** Which of the checks found it. */
  check: string;
  /** Null where the difference is not one account's. */
  accountId: string | null;
  detail: string;
}

export interface Verification {
  ok: boolean;
  accounts: number;
  /** All entries of the journal; those before the checkpoint were not read again where there is a `since`. */
  entries: bigint;
  /** The checkpoint from which the books were read; null where they were read whole. */
  since: Date | null;
  /** What was charged before this time was closed when the books were read: a charge takes seconds, not an hour. */
  closedBefore: Date;
  /** The first rows that differ, at most a few of each check. */
  differences: Difference[];
}

export interface VerifyOptions {
  /** Reads on from the last checkpoint, where there is one. What was verified then is not read again. */
  sinceCheckpoint?: boolean;
  /** Called before each check with its name, its number and how many there are. */
  onProgress?: (check: string, number: number, total: number) => void;
}

const DIFFERENCES_PER_CHECK = 10;
/** The checks sort and group all of the journal. */
const MEMORY_PER_STEP = '256MB';

/**
 * Recomputes the books from the ledger's entries, the holds, the reviews and the usage records, and compares them with
 * every balance and counter that is kept, all in one snapshot: running requests do not disturb it.
 */
export async function verifyLedger(
  pool: pg.Pool,
  { sinceCheckpoint = false, onProgress }: VerifyOptions = {},
): Promise<Verification> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`SET LOCAL statement_timeout = 0; SET LOCAL work_mem = '${MEMORY_PER_STEP}'`);
    const since = sinceCheckpoint ? await readTime(client, CHECKPOINT) : undefined;
    const differences: Difference[] = [];
    const forgottenBefore = await readTime(client, FORGOTTEN_BEFORE);
    if (forgottenBefore === undefined) throw new Error('usage_retention has no row');
    const checks = Object.entries(checksOf({ since, forgottenBefore }));
    for (const [number, [check, sql]] of checks.entries()) {
      onProgress?.(check, number + 1, checks.length);
      const { rows } = await client.query<{ account_id: string | null; detail: string }>(
        `SELECT account_id::text, detail FROM (${sql}) found LIMIT ${String(DIFFERENCES_PER_CHECK)}`,
      );
      differences.push(...rows.map((row) => ({ check, accountId: row.account_id, detail: row.detail })));
    }
    const { rows } = await client.query<{ accounts: string; entries: string; closed_before: Date }>(
      `SELECT count(*)::text AS accounts, coalesce(sum(last_seq), 0)::text AS entries,
              date_trunc('hour', now() - interval '1 hour', 'UTC') AS closed_before
       FROM account_funds`,
    );
    const [books] = rows;
    if (!books) throw new Error('the database counted no accounts, not even none');
    return {
      ok: differences.length === 0,
      accounts: Number(books.accounts),
      entries: BigInt(books.entries),
      since: since === undefined ? null : new Date(since),
      closedBefore: books.closed_before,
      differences,
    };
  } finally {
    await client.query('ROLLBACK').then(
      () => {
        client.release();
      },
      (error: unknown) => {
        client.release(error instanceof Error ? error : true);
      },
    );
  }
}

/**
 * Notes that the books were found right, so that the next verification can begin here. To be called after a
 * verification without differences; one that read the whole books (`since` is null) begins the notes anew. `db` may be
 * the client of a transaction.
 */
export async function takeCheckpoint(
  db: Pick<pg.Pool, 'query'>,
  { ok, since, closedBefore }: Verification,
): Promise<void> {
  if (!ok) throw new Error('there is no checkpoint of books that are not right');
  const isAnew = since === null;
  // Both statements are sent at once, which is a transaction where there is none.
  await db.query(
    `SET LOCAL statement_timeout = 0; SELECT ledger_take_checkpoint('${closedBefore.toISOString()}', ${String(isAnew)})`,
  );
}

const CHECKPOINT = 'closed_before FROM ledger_checkpoint';
const FORGOTTEN_BEFORE = 'forgotten_before FROM usage_retention';

/** As the database writes it, to the microsecond. */
async function readTime(client: pg.PoolClient, source: string): Promise<string | undefined> {
  const { rows } = await client.query<{ time: string }>(
    `SELECT to_char(time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time FROM (SELECT ${source}) s(time)`,
  );
  return rows[0]?.time;
}
