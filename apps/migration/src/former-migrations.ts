import { randomUUID } from 'node:crypto';
import { sha256Of, type OwnerSession } from './owner-session';
import type { Migration } from './schema-migrations';
import { NOTES } from './sql-files';

// Until 22 November 2026, before anything was released, there were 30 migrations. One that makes the same schema took
// their place. A database that has all of them is noted as having that one.

const FORMER_MIGRATIONS: readonly string[] = [
  '20261121000000_init',
  '20261121000001_ledger',
  '20261121000002_ledger_whole',
  '20261121000003_devices',
  '20261121000004_billing',
  '20261121000005_sign_in',
  '20261121000006_usage',
  '20261121000007_worker_role',
  '20261121000009_outbox',
  '20261121000010_retention',
  '20261121000011_operator',
  '20261121000012_usage_list',
  '20261121000013_usage_index',
  '20261121000014_usage_index_in_use',
  '20261122035600_refunds_lower_counters',
  '20261122035601_time_of_records',
  '20261122041700_check_rounds',
  '20261122042000_kept_answers',
  '20261122043600_least_privilege',
  '20261122044000_counted_reviews',
  '20261122044001_counted_reviews_index',
  '20261122045500_prompt_overhead',
  '20261122085911_kept_answers_by_functions',
  '20261122091000_partition_bound',
  '20261122091001_partition_bound_holds',
  '20261122091002_entry_by_number',
  '20261122091003_entry_by_charge',
  '20261122091004_partitions',
  '20261122091005_funds_name_entries',
  '20261122114000_credential_events',
];

/** As `npm run migrate` of their last version would say it. */
const LAST_VERSION = 'f407aa8';

/** What they installed and no file makes any more. It goes with the installation of the files. */
const FORMER_FUNCTIONS: readonly string[] = [
  'ledger_forget_gateways(interval)',
  'ledger_batch(uuid[],uuid[],bigint[],integer[],integer[],text[],boolean[],boolean[],integer[],integer[],bytea[],uuid,uuid[],uuid[],uuid[],integer[],bigint[],text[],uuid[],text[],text[],bytea[])',
  'ledger_admit(uuid,uuid[],uuid[],uuid[],integer[],bigint[],text[],uuid[],text[],text[],bytea[])',
  'ledger_forget_answers(integer)',
  'sign_in_forget(integer)',
  'mail_forget(integer)',
  'refuse_to_forget()',
  'ledger_forget_requests(integer,uuid,integer)',
  'ledger_forget_verified(uuid)',
  'ledger_forget_kept_parts(integer)',
];

/**
 * Notes the first migration in place of the former ones, whose notes these are. Resolves to whether it did; throws if some
 * of them are missing.
 */
export async function adoptFormerMigrations(
  session: OwnerSession,
  notes: ReadonlyMap<string, { isFinished: boolean }>,
  first: Migration | undefined,
): Promise<boolean> {
  if (first === undefined || !FORMER_MIGRATIONS.some((name) => notes.has(name))) return false;
  const missing = FORMER_MIGRATIONS.filter((name) => notes.get(name)?.isFinished !== true);
  if (missing.length > 0) {
    throw new Error(
      `The database has some of the ${String(FORMER_MIGRATIONS.length)} migrations of before ${first.name}, and not ${missing.join(', ')}. ` +
        `Migrate it with the version that had them (revision ${LAST_VERSION}) first, or begin with an empty database.`,
    );
  }
  await session.inTransaction('The change to one migration', async () => {
    const { client } = session;
    await client.query(`${NOTES}; DELETE FROM farebox_install.sql_file`);
    await client.query(
      `INSERT INTO farebox_install.sql_object (kind, identity, file)
       SELECT 'function', identity, 'former' FROM unnest($1::text[]) AS identity ON CONFLICT DO NOTHING`,
      [FORMER_FUNCTIONS],
    );
    await client.query('DELETE FROM _prisma_migrations WHERE migration_name = ANY ($1)', [FORMER_MIGRATIONS]);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), sha256Of(first.sql), first.name],
    );
  });
  session.say(`The ${String(FORMER_MIGRATIONS.length)} former migrations are noted as ${first.name}.`);
  return true;
}
