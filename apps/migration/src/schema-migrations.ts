import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { messageOf, type OwnerSession, sha256Of } from './owner-session';
import { NOTES } from './sql-files';

export interface Migration {
  name: string;
  sql: string;
}

/** The record of a migration in `_prisma_migrations`. */
interface Note {
  id: string;
  isFinished: boolean;
}

/** An index that is created or dropped with CONCURRENTLY. */
interface ConcurrentIndex {
  drops: boolean;
  /** With its schema, which is that of its table. */
  index: string;
}

/** As Prisma creates it, since Prisma's own commands use it too. */
const MIGRATION_NOTES = `
  CREATE TABLE _prisma_migrations (
    id varchar(36) PRIMARY KEY NOT NULL,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;
const NOTE_DONE = `
  INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
  VALUES ($1, $2, $3, clock_timestamp(), 1)`;
const NOTE_BEGUN = 'INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)';

/** `CREATE INDEX CONCURRENTLY x …` and `DROP INDEX CONCURRENTLY x`, alone in their migration. */
const CONCURRENT =
  /^(CREATE(?: UNIQUE)?|DROP) INDEX CONCURRENTLY (?:IF (?:NOT )?EXISTS )?("(?:[^"]|"")+"|[a-z_][a-z0-9_]*)(?: ON ([a-z_]+)\.)?[^;]*;?$/i;

/** The migrations of a folder, in order. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, sql: readFileSync(path.join(folder, name, 'migration.sql'), 'utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Applies the missing migrations, up to `until` if it is given. Resolves to their names.
 *
 *  A migration and its record are one transaction: if it is interrupted, it is applied and recorded, or
 *  neither. An index that is built CONCURRENTLY cannot be in a transaction. It is recorded as begun, and if
 *  interrupted it is dropped and built again. (Prisma's own `migrate deploy` records separately, waits for
 *  locks indefinitely, and leaves both to manual repair.)
 */
export async function applyMigrations(
  session: OwnerSession,
  migrations: readonly Migration[],
  until?: string,
): Promise<string[]> {
  let notes = await readNotes(session.client);
  if (await adoptFormerMigrations(session, notes, migrations[0])) notes = await readNotes(session.client);
  const applied: string[] = [];
  for (const migration of migrations) {
    if (until !== undefined && migration.name > until) break;
    const note = notes.get(migration.name);
    if (note?.isFinished) continue;
    const statement = toConcurrent(migration);
    if (note && !statement) {
      throw new Error(
        `${migration.name} failed half-way, with a version of Farebox before this one. See "When a migration failed" in docs/operate/operating.md.`,
      );
    }
    if (statement) await applyConcurrently(session, migration, statement, note?.id);
    else await applyWhole(session, migration);
    applied.push(migration.name);
  }
  return applied;
}

async function readNotes(client: pg.Client): Promise<Map<string, Note>> {
  const { rows: tables } = await client.query<{ relname: string }>(
    `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')`,
  );
  if (!tables.some(({ relname }) => relname === '_prisma_migrations')) {
    if (tables.length > 0)
      throw new Error('The database holds tables that are not of Farebox. Give it its own.');
    await client.query(MIGRATION_NOTES);
  }
  const { rows } = await client.query<{ id: string; name: string; isFinished: boolean }>(
    `SELECT id, migration_name AS name, finished_at IS NOT NULL AS "isFinished" FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY "isFinished"`,
  );
  return new Map(rows.map(({ id, name, isFinished }) => [name, { id, isFinished }]));
}

function applyWhole(session: OwnerSession, { name, sql }: Migration): Promise<void> {
  return session.inTransaction(`The migration ${name}`, async () => {
    await session.client.query(sql);
    await session.client.query(NOTE_DONE, [randomUUID(), sha256Of(sql), name]);
  });
}

/** The statement that a migration runs CONCURRENTLY, if any. */
function toConcurrent({ name, sql }: Migration): ConcurrentIndex | undefined {
  const text = sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
  if (!/\bCONCURRENTLY\b/i.test(text)) return undefined;
  const [, verb, index, schema = 'public'] = CONCURRENT.exec(text) ?? [];
  if (verb === undefined || index === undefined)
    throw new Error(`${name}: a statement with CONCURRENTLY stands alone, and makes or drops an index.`);
  return { drops: verb.toUpperCase() === 'DROP', index: `${schema}.${index}` };
}

async function applyConcurrently(
  session: OwnerSession,
  { name, sql }: Migration,
  { drops, index }: ConcurrentIndex,
  begunId: string | undefined,
): Promise<void> {
  const { client } = session;
  const id = begunId ?? randomUUID();
  if (begunId === undefined) await client.query(NOTE_BEGUN, [id, sha256Of(sql), name]);
  const clear = (): Promise<void> =>
    session.concurrently(
      `Clearing away what is left of ${name}`,
      `DROP INDEX CONCURRENTLY IF EXISTS ${index}`,
    );
  const state = begunId === undefined ? undefined : await indexState(client, index);
  const wasDone = state !== undefined && (drops ? state === 'none' : state === 'valid');
  try {
    if (state === 'invalid' && !drops) await clear();
    if (!wasDone) await session.concurrently(`The migration ${name}`, sql);
  } catch (error) {
    // An invalid index is still written to, and a unique one even refuses rows.
    if (!drops && (await indexState(client, index)) === 'invalid') await clear();
    const rolledBack =
      'UPDATE _prisma_migrations SET rolled_back_at = clock_timestamp(), logs = $2 WHERE id = $1';
    await client.query(rolledBack, [id, messageOf(error)]);
    throw error;
  }
  await client.query(
    'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1',
    [id],
  );
}

async function indexState(client: pg.Client, index: string): Promise<'none' | 'valid' | 'invalid'> {
  const { rows } = await client.query<{ valid: boolean }>(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [index],
  );
  const [found] = rows;
  if (!found) return 'none';
  return found.valid ? 'valid' : 'invalid';
}

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
async function adoptFormerMigrations(
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
