import { NotMigratedError } from '@farebox/database';
import type { Pool } from 'pg';

/** Throws `NotMigratedError` if the database lets this login do what a gateway may, but no billing. */
export async function assertAccountRole(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ may: boolean }>(
    `SELECT has_table_privilege('invoice', 'SELECT') AND has_table_privilege('checkout', 'SELECT') AS may`,
  );
  if (rows[0]?.may) return;
  throw new NotMigratedError(
    'The role of DATABASE_URL may not do billing: make it a member of farebox_account with "GRANT farebox_account TO …".',
  );
}
