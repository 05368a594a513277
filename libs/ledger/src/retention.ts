import type { Queryable } from '@farebox/database';

export interface RetentionOptions {
  /** Request records are kept for the current UTC month and this many before it. At least two. */
  months: number;
  /** Maximum records that one statement examines. */
  batch?: number;
}

/** The minimum number of months: refunds and invoices of last month never meet a purged request. */
export const SHORTEST_RETENTION_MONTHS = 2;

const BATCH = 2_000;
/** Bounds one call: the rest is left for the next one. */
const MOST_BATCHES = 500;

/** Records which request records have expired, if a check of the books has verified them. Deletes none. */
export async function notePurged(pool: Queryable, { months }: { months: number }): Promise<void> {
  await purgeNext(pool, { months, batch: 0, afterId: null });
}

/**
 * Deletes expired records of requests, charged or abandoned: never an unverified one, never that of a refunded
 * charge. Entries, counters and sums stay. Returns how many were deleted.
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

/** As a part of a query: request records before this time are no longer shown; they are deleted, or about to be. */
export const PURGED_BEFORE = '(SELECT purged_before FROM usage_retention WHERE id = 1)';

/** Months after this one with partitions of their own: a worker may be down for this long without any effect. */
const MONTHS_AHEAD = 3;
/** Bounds one call: the rest is left for the next one. */
const MOST_AT_ONCE = 100;

export interface PartitionReach {
  /** Ids before this time have a partition of their month, or of an earlier one, in every table. */
  endAt: Date;
  /** Rows with later ids, from a clock that is far ahead or while a worker was down. Counted up to 1,000. */
  rowsBeyond: number;
}

/**
 * Creates the missing partitions of this month and the next ones. Returns their names. With each month it updates the
 * planner's statistics.
 */
export async function makePartitions(pool: Queryable): Promise<string[]> {
  const made = await untilNone(pool, 'SELECT ledger_make_partition($1) AS name', [MONTHS_AHEAD]);
  if (made.length > 0) await pool.query('SELECT ledger_analyze_partitioned()');
  return made;
}

/**
 * Removes partitions of usage records that have all expired, except for the records that must stay. They are dropped,
 * or (`archive`) detached as tables of the schema farebox_archive. Returns their names.
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
