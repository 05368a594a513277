import type { Queryable } from '@farebox/database';

export interface RetentionOptions {
  /** Request records of the UTC month under way and of so many before it are kept. Two at least. */
  months: number;
  /** Most records that are looked at by one statement. */
  batch?: number;
}

/** The least number of months: refunds and invoices of last month never meet a request that was purged. */
export const SHORTEST_RETENTION_MONTHS = 2;

const BATCH = 2_000;
/** So that one call is not without end: what is left is for the next one. */
const MOST_BATCHES = 500;

/** Notes which request records have had their time, if a check of the books has found them right. Deletes none. */
export async function notePurged(pool: Queryable, { months }: { months: number }): Promise<void> {
  await purgeNext(pool, { months, batch: 0, afterId: null });
}

/**
 * Deletes records of requests that have had their time, charged or abandoned: never one that no check of the books has found right, never that
 * of a charge that was given back. Entries, counters and sums stay. Answers how many were deleted.
 */
export async function purgeUsageRecords(
  pool: Queryable,
  { months, batch = BATCH }: RetentionOptions,
): Promise<number> {
  let purged = 0;
  let afterId: string | null = null;
  for (let batches = 0; batches < MOST_BATCHES; batches++) {
    const step = await purgeNext(pool, { months, batch, afterId });
    purged += step.purged;
    afterId = step.last_id;
    if (afterId === null) break;
  }
  return purged + (await purgeAbandoned(pool, batch));
}

async function purgeAbandoned(pool: Queryable, batch: number): Promise<number> {
  let purged = 0;
  for (let batches = 0; batches < MOST_BATCHES; batches++) {
    const { rows } = await pool.query<{ purged: number }>('SELECT ledger_purge_abandoned($1) AS purged', [
      batch,
    ]);
    const count = rows[0]?.purged ?? 0;
    purged += count;
    if (count < batch) break;
  }
  return purged;
}

async function purgeNext(
  pool: Queryable,
  { months, batch, afterId }: { months: number; batch: number; afterId: string | null },
): Promise<{ purged: number; last_id: string | null }> {
  const { rows } = await pool.query<Awaited<ReturnType<typeof purgeNext>>>(
    'SELECT purged, last_id FROM ledger_purge_requests($1, $2, $3)',
    [months, afterId, batch],
  );
  const [row] = rows;
  if (!row) throw new Error('ledger_purge_requests answered no row');
  return row;
}

/** As a part of a query: request records of before this time are not shown any more, they are deleted, or about to be. */
export const PURGED_BEFORE = '(SELECT purged_before FROM usage_retention WHERE id = 1)';

/** Months after this one that have partitions of their own: a worker may be down for so long, and nothing falls behind. */
const MONTHS_AHEAD = 3;
/** So that one call is not without end: what is left is for the next one. */
const MOST_AT_ONCE = 100;

export interface PartitionReach {
  /** Ids of before this time have a partition of their month, or of those before it, in every table. */
  endAt: Date;
  /** Rows whose ids are beyond, of a clock that is far ahead or a worker that stood still. Counted up to 1,000. */
  rowsBeyond: number;
}

/**
 * Makes the partitions of this month and the next ones that are missing. Answers their names. With each month the planner is
 * told again what the tables hold.
 */
export async function makePartitions(pool: Queryable): Promise<string[]> {
  const made = await untilNone(pool, 'SELECT ledger_make_partition($1) AS name', [MONTHS_AHEAD]);
  if (made.length > 0) await pool.query('SELECT ledger_analyze_partitioned()');
  return made;
}

/**
 * Takes away partitions of usage records that have all had their time, but for the records that must stay. They are dropped, or
 * (`archive`) detached as tables of the schema farebox_archive. Answers their names.
 */
export function retirePartitions(pool: Queryable, { archive }: { archive: boolean }): Promise<string[]> {
  return untilNone(pool, 'SELECT ledger_retire_partition($1) AS name', [archive]);
}

export async function readPartitionReach(pool: Queryable): Promise<PartitionReach> {
  const { rows } = await pool.query<PartitionReach>(
    'SELECT end_at AS "endAt", rows_beyond AS "rowsBeyond" FROM ledger_partition_reach()',
  );
  const [reach] = rows;
  if (!reach) throw new Error('ledger_partition_reach answered no row');
  return reach;
}

async function untilNone(pool: Queryable, sql: string, values: unknown[]): Promise<string[]> {
  const names: string[] = [];
  while (names.length < MOST_AT_ONCE) {
    const { rows } = await pool.query<{ name: string | null }>(sql, values);
    const name = rows[0]?.name ?? null;
    if (name === null) break;
    names.push(name);
  }
  return names;
}
