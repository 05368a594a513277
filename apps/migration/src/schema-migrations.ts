import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { messageOf, type OwnerSession, sha256Of } from './owner-session';

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
  const notes = await readNotes(session.client);
  refuseUnreleased(notes, migrations[0]);
  const applied: string[] = [];
  for (const migration of migrations) {
    if (until !== undefined && migration.name > until) break;
    const note = notes.get(migration.name);
    if (note?.isFinished) continue;
    const statement = toConcurrent(migration);
    if (note && !statement) {
      throw new Error(
        `${migration.name} failed half-way, and not with "npm run migrate". See "When a migration failed" in docs/operate/operating.md.`,
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

/** A database of before the first release has migrations that are no more, and nothing leads from them to the first one. */
function refuseUnreleased(notes: ReadonlyMap<string, Note>, first: Migration | undefined): void {
  if (first === undefined || notes.size === 0 || notes.has(first.name)) return;
  throw new Error(
    'A version from before the first release made this database, and no migration leads from there to this version. ' +
      'Begin with an empty database: "npm start -- --reset" deletes the one of "npm start".',
  );
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
