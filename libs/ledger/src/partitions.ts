import type pg from 'pg';

type Queryable = Pick<pg.Pool, 'query'>;

/** Months after this one that have partitions of their own: a worker may stand still for so long, and nothing falls behind. */
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
 * told anew what the tables hold.
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
