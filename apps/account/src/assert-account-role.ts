import { NotMigratedError } from '@farebox/database';
import type { Pool } from 'pg';

/**
 * Throws `NotMigratedError` if this login lacks the billing rights, for example because it has those of a
 * gateway.
 */
export async function assertAccountRole(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ may: boolean }>(
    `SELECT has_table_privilege('invoice', 'SELECT') AND has_table_privilege('checkout', 'SELECT') AS may`,
  );
  if (rows[0]?.may) return;
  throw new NotMigratedError(
    'The role of DATABASE_URL lacks the rights of billing: make it a member of farebox_account with "GRANT farebox_account TO …".',
  );
}
