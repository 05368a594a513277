import type { Pool } from 'pg';
import { NotMigratedError } from './assert-migrated';

/**
 * Throws `NotMigratedError` if a pooler stands between this process and PostgreSQL that may give each transaction another
 * session: it drops the time-outs that a connection asks for. Session locks and settings would end up in sessions of
 * others, and commits that must be durable would not be.
 */
export async function assertDirect(pool: Pool): Promise<void> {
  const { lock_timeout: lock, statement_timeout: statement } = pool.options;
  // Both: a login's own limit may happen to be the one that is asked for.
  const { rows } = await pool.query<{ arrived: boolean }>(
    `SELECT bool_and(setting = CASE name WHEN 'lock_timeout' THEN $1 ELSE $2 END) AS arrived
     FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout')`,
    [String(lock), String(statement)],
  );
  if (rows[0]?.arrived === true) return;
  throw new NotMigratedError(
    'A pooler stands between this service and PostgreSQL: give DATABASE_URL the address of PostgreSQL itself (docs/operate/postgres.md).',
  );
}
