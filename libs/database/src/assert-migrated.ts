import type { Pool } from 'pg';
import { evidenceOf, isDatabaseUnavailable } from './transaction';

/**
 * The migrations that this code needs, in order. A bundled app has no folder to read, so they are listed
 * here; a test compares the list with `prisma/migrations`.
 */
export const MIGRATION_NAMES: readonly string[] = [
  '20261126000000_init',
  '20261126100000_reason_of_refusal',
  '20261126120000_disabled_keys',
  '20261126140000_saved_cards',
  '20261126140100_mail_about_top_ups',
  '20261126150000_billing_details',
  '20261126150100_receipts',
  '20261126150200_credit_notes',
  '20261126160000_languages',
  '20261126170000_playground_keys',
  '20261126170100_one_playground_key',
  '20261126170200_sign_in_codes',
  '20261126180000_catalog_versions',
  '20261126190000_limit_policies',
  '20261126190100_limited_holds',
  '20261126200000_operators',
  '20261126210000_suspended_requests',
  '20261127100000_webhooks',
  '20261127130000_mail_to_operators',
  '20261127140000_ledger_roots',
  '20261127150000_vouchers',
  '20261127160000_disputes',
  '20261127170000_sales',
  '20261127180000_catalog_schedule',
  '20261127190000_mail_about_webhooks',
];

/** The database is not in the state that this code needs. The message is one sentence for an operator. */
export class NotMigratedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotMigratedError';
  }
}

interface MigrationRow {
  migration_name: string;
  state: 'applied' | 'begun';
}

const UNDEFINED_TABLE = '42P01';
const INSUFFICIENT_PRIVILEGE = '42501';
const NOT_A_MEMBER =
  'The role of DATABASE_URL may not read the database: make it a member of farebox_app with "GRANT farebox_app TO …".';
const REMEDY = 'apply the migrations with "npm run migrate"';

/**
 * Throws `NotMigratedError` if a migration of this code is missing in the database or has not finished.
 * Unknown migrations are allowed: another version may have been deployed, or be deploying now.
 */
export async function assertMigrated(pool: Pool): Promise<void> {
  const rows = await readMigrations(pool);
  const ours = rows.filter((row) => MIGRATION_NAMES.includes(row.migration_name));
  const begun = ours.find((row) => row.state === 'begun');
  if (begun) {
    throw new NotMigratedError(
      `The migration ${begun.migration_name} is under way, or was cut off: ${REMEDY}, and wait for its end.`,
    );
  }
  const applied = new Set(ours.map((row) => row.migration_name));
  const missing = MIGRATION_NAMES.filter((name) => !applied.has(name));
  if (missing.length > 0) {
    throw new NotMigratedError(`The database lacks migrations (${missing.join(', ')}): ${REMEDY}.`);
  }
}

async function readMigrations(pool: Pool): Promise<MigrationRow[]> {
  try {
    const { rows } = await pool.query<MigrationRow>(
      `SELECT migration_name, CASE WHEN finished_at IS NULL THEN 'begun' ELSE 'applied' END AS state
       FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
    );
    return rows;
  } catch (error) {
    const { codes } = evidenceOf(error);
    if (codes.includes(UNDEFINED_TABLE)) return [];
    if (codes.includes(INSUFFICIENT_PRIVILEGE)) throw new NotMigratedError(NOT_A_MEMBER);
    throw error;
  }
}

/**
 * The reason why a process cannot start with its database, as a sentence for the operator; undefined for any
 * other error.
 */
export function describeDatabaseError(error: unknown): string | undefined {
  if (error instanceof NotMigratedError) return error.message;
  if (!isDatabaseUnavailable(error)) return undefined;
  const [code] = evidenceOf(error).codes;
  return `The database of DATABASE_URL cannot be reached${code === undefined ? '' : ` (${code})`}.`;
}
