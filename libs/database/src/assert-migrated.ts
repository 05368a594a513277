import type { Pool } from 'pg';
import { evidenceOf, isDatabaseUnavailable } from './transaction';

/**
 * The migrations that this code needs, in order. A bundled app has no folder to read, so they are listed
 * here; a test compares the list with `prisma/migrations`.
 */
export const MIGRATION_NAMES: readonly string[] = [
  '20261122120000_init',
  '20261122150000_account_changes',
  '20261122150000_uncharged_requests',
  '20261122150100_live_api_keys',
  '20261122150500_extra_fields',
  '20261122180000_prices_of_each_kind',
  '20261122180100_tokens_of_each_kind',
  '20261122180200_sums_of_each_kind',
  '20261122180300_sums_of_each_kind_index',
  '20261122180400_sums_of_each_kind_key',
  '20261122180500_kinds_not_negative',
  '20261122181000_model_kind',
  '20261122190000_weighted_routes',
  '20261122190500_route_costs',
  '20261122191000_allowed_origins',
  '20261122193000_upstream_wire',
  '20261122200000_hours_of_days',
  '20261123000000_credential_events_by_time',
  '20261123030000_rules_of_entries',
  '20261123040000_rules_of_few_parts',
  '20261123040100_rules_of_few_parts_hold',
  '20261123050000_refunds_of_first_partition',
  '20261123050100_index_of_refunds',
  '20261123050200_no_index_of_what_is_no_refund',
  '20261123060000_usage_of_the_day_under_way',
  '20261125110000_abandonment',
  '20261125110100_abandoned_of_day',
  '20261125110200_response_lost',
  '20261125110300_rest_of_left_streams',
  '20261125120000_prompt_cache',
  '20261125130000_uncounted_reviews',
  '20261125150000_payment_notices',
  '20261125160000_callers_of_events',
  '20261125160100_callers_of_events_hold',
  '20261125160200_browsers_of_events',
  '20261125160300_mails_of_credentials',
  '20261125160400_events_of_mails',
  '20261125160500_events_of_mails_hold',
  '20261125170000_shows_account_limits',
  '20261125190000_upstream_dialect',
  '20261125190100_wires_hold',
  '20261125230000_model_position',
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
    throw new NotMigratedError(`The database lacks the migrations ${missing.join(', ')}: ${REMEDY}.`);
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
