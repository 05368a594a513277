import type { Pool } from 'pg';

/** The database as it is now, and how far the worker is with it. */
export interface DatabaseState {
  version: string;
  migrations: number;
  newestMigration: string | null;
  catalogVersion: number;
  /** Usage before this hour is summed; null where none is. */
  usageSummedBefore: Date | null;
  /** Since then: up to two hours where the worker keeps up. */
  usageLagSeconds: number | null;
}

export async function readDatabaseState(db: Pick<Pool, 'query'>): Promise<DatabaseState> {
  const { rows } = await db.query<DatabaseState>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
            m.migrations, m."newestMigration",
            coalesce((SELECT version FROM catalog_state), 0) AS "catalogVersion",
            u.summed_before AS "usageSummedBefore",
            extract(epoch FROM clock_timestamp() - u.summed_before)::float8 AS "usageLagSeconds"
     FROM (SELECT count(*)::int AS migrations, max(migration_name) AS "newestMigration"
           FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL) m
     LEFT JOIN usage_sum_state u ON u.summed_before > 'epoch'`,
  );
  const [state] = rows;
  if (!state) throw new Error('PostgreSQL answered no row');
  return state;
}
