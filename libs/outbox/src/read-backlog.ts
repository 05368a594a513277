import type { Pool } from 'pg';

/** What was committed and is not yet in its queue. */
export interface OutboxBacklog {
  rows: number;
  /** Age of the oldest row, 0 where there is none. */
  oldestSeconds: number;
}

export async function readOutboxBacklog(pool: Pick<Pool, 'query'>): Promise<OutboxBacklog> {
  const { rows } = await pool.query<OutboxBacklog>(
    `SELECT count(*)::int AS rows,
            coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS "oldestSeconds"
     FROM outbox`,
  );
  return rows[0] ?? { rows: 0, oldestSeconds: 0 };
}
