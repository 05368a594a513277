import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { adoptFormerMigrations } from './former-migrations';
import { messageOf, sha256Of, type OwnerSession } from './owner-session';

export interface Migration {
  name: string;
  sql: string;
}

/** What `_prisma_migrations` says of a migration. */
interface Note {
  id: string;
  isFinished: boolean;
}

/** An index that is made or dropped with CONCURRENTLY. */
interface ConcurrentIndex {
  drops: boolean;
  index: string;
}

/** As Prisma makes it: its own commands read and write it too. */
const NOTES = `
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
  /^(CREATE(?: UNIQUE)?|DROP) INDEX CONCURRENTLY (?:IF (?:NOT )?EXISTS )?("(?:[^"]|"")+"|[a-z_][a-z0-9_]*)[^;]*;?$/i;

/** The migrations of a folder, in their order. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, sql: readFileSync(path.join(folder, name, 'migration.sql'), 'utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Applies what a database has not had yet; `until` names the last one, if not all are wanted. Resolves to the names.
 *
 * A migration and the note of it are one transaction: whatever cuts it off, it is in and noted, or neither. An index
 * that is built CONCURRENTLY cannot be in a transaction. It is noted as begun, and what was cut off there is cleared
 * away and done again. (Prisma's own `migrate deploy` notes apart, waits for locks without end, and leaves both to be
 * repaired by hand.)
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
        `${migration.name} failed half-way, with a version of Farebox before this one. See "When a migration failed" in docs/OPERATING.md.`,
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
    await client.query(NOTES);
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

/** What a migration does CONCURRENTLY, if it does. */
function toConcurrent({ name, sql }: Migration): ConcurrentIndex | undefined {
  const text = sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
  if (!/\bCONCURRENTLY\b/i.test(text)) return undefined;
  const [, verb, index] = CONCURRENT.exec(text) ?? [];
  if (verb === undefined || index === undefined)
    throw new Error(`${name}: a statement with CONCURRENTLY stands alone, and makes or drops an index.`);
  return { drops: verb.toUpperCase() === 'DROP', index };
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
    // An index that is not whole is written to, and a unique one even refuses rows.
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
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('public.' || $1)`,
    [index],
  );
  const [found] = rows;
  if (!found) return 'none';
  return found.valid ? 'valid' : 'invalid';
}
