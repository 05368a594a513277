import type pg from 'pg';

type Queryable = Pick<pg.Pool, 'query'>;

export interface RetentionOptions {
  /** Request records of the UTC month under way and of so many before it are kept. Two at least. */
  months: number;
  /** Most records that are looked at by one statement. */
  batch?: number;
}

/** The least number of months: refunds and invoices of last month never meet a request that is forgotten. */
export const SHORTEST_RETENTION_MONTHS = 2;

const BATCH = 2_000;
/** So that one call is not without end: what is left is for the next one. */
const MOST_BATCHES = 500;

/** Notes which request records have had their time, if a check of the books has found them right. Deletes none. */
export async function noteForgotten(pool: Queryable, { months }: { months: number }): Promise<void> {
  await forgetNext(pool, { months, batch: 0, afterId: null });
}

/**
 * Deletes records of requests that have had their time: never one that no check of the books has found right, never that
 * of a charge that was given back. Entries, counters and sums stay. Answers how many were deleted.
 */
export async function forgetRequests(
  pool: Queryable,
  { months, batch = BATCH }: RetentionOptions,
): Promise<number> {
  let forgotten = 0;
  let afterId: string | null = null;
  for (let batches = 0; batches < MOST_BATCHES; batches++) {
    const step = await forgetNext(pool, { months, batch, afterId });
    forgotten += step.forgotten;
    afterId = step.last_id;
    if (afterId === null) break;
  }
  return forgotten;
}

async function forgetNext(
  pool: Queryable,
  { months, batch, afterId }: { months: number; batch: number; afterId: string | null },
): Promise<{ forgotten: number; last_id: string | null }> {
  const { rows } = await pool.query<Awaited<ReturnType<typeof forgetNext>>>(
    'SELECT forgotten, last_id FROM ledger_forget_requests($1, $2, $3)',
    [months, afterId, batch],
  );
  const [row] = rows;
  if (!row) throw new Error('ledger_forget_requests answered no row');
  return row;
}

/** As a part of a query: request records of before this time are not shown any more, they are deleted, or about to be. */
export const FORGOTTEN_BEFORE = '(SELECT forgotten_before FROM usage_retention WHERE id = 1)';
