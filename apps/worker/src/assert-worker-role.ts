import { NotMigratedError } from '@farebox/database';
import type { Pool } from 'pg';

/** Throws `NotMigratedError` where the database lets this login do what a gateway may do, and no worker's work. */
export async function assertWorkerRole(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ may: boolean }>(
    `SELECT has_function_privilege('ledger_sweep(int)', 'EXECUTE') AS may`,
  );
  if (rows[0]?.may) return;
  throw new NotMigratedError(
    'The role of DATABASE_URL may not do the work of the worker: make it a member of farebox_worker with "GRANT farebox_worker TO …".',
  );
}
