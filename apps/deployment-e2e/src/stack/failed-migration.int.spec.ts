import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runToEnd, ServiceProcess, workspaceRoot } from '@farebox/local-services';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';

const BROKEN = '20990101000000_broken';
const INDEX = '20990101000001_index';
const LOCKED = '20990101000004_locked';

let db: TestDatabase;
let folder: string;
beforeAll(async () => {
  db = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'farebox-migration-'));
  cpSync(join(workspaceRoot(), 'dist/migration'), folder, { recursive: true });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await db.drop();
});

function givenMigration(name: string, sql: string): void {
  mkdirSync(join(folder, 'migrations', name), { recursive: true });
  writeFileSync(join(folder, 'migrations', name, 'migration.sql'), sql);
}

const toRun = () => ({ name: 'migration', args: ['main.js'], cwd: folder, env: { DATABASE_URL: db.url } });
const migrate = () => runToEnd(toRun());

/** Whether the index exists, and whether it is valid. */
async function indexes(name: string): Promise<{ valid: boolean }[]> {
  const { rows } = await db.pool.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  );
  return rows;
}

async function says(process: ServiceProcess, words: string): Promise<void> {
  while (!process.output.last(Infinity).join('\n').includes(words)) await sleep(50);
}

it('a failed migration changes nothing and stops all further ones; once fixed, it is applied by the next run', async () => {
  givenMigration(BROKEN, 'CREATE TABLE half_made (); SELECT there_is_no_such_column;');
  await expect(migrate()).rejects.toThrow('there_is_no_such_column');
  expect((await db.pool.query(`SELECT to_regclass('half_made') AS found`)).rows).toEqual([{ found: null }]);
  await expect(migrate()).rejects.toThrow('there_is_no_such_column');

  givenMigration(BROKEN, 'CREATE TABLE half_made ();');
  expect(await migrate()).toEqual([`Applied ${BROKEN}.`]);
  expect(await migrate()).toEqual(['No migration was missing.']);
});

it('a failed concurrent index build leaves nothing behind', async () => {
  await givenAccount(db.pool);
  await givenAccount(db.pool);
  givenMigration(INDEX, '-- A comment.\nCREATE UNIQUE INDEX CONCURRENTLY "one_name" ON "account" ("name");');
  await expect(migrate()).rejects.toThrow('could not create unique index "one_name"');
  expect(await indexes('one_name')).toEqual([]);

  givenMigration(INDEX, 'CREATE INDEX CONCURRENTLY "one_name" ON "account" ("name");');
  expect(await migrate()).toEqual([`Applied ${INDEX}.`]);
  expect(await indexes('one_name')).toEqual([{ valid: true }]);
});

it.each([
  ['20990101000002_killed', 'public.account', 'public.killed', 'name'],
  ['20990101000003_killed', 'farebox_partition.ledger_entry_first', 'farebox_partition.killed', 'seq'],
])(
  'of two concurrent runs the second waits, and repeats the work that the first was killed in: %s of %s',
  async (name, table, index, column) => {
    givenMigration(name, `CREATE INDEX CONCURRENTLY "killed" ON ${table} (${column});`);
    const writer = await db.pool.connect();
    await writer.query('BEGIN');
    await writer.query(`LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`);
    const first = ServiceProcess.start(toRun());
    await says(first, `${name} has run for`);
    const second = ServiceProcess.start(toRun());
    await says(second, 'Another migration of this database is under way');
    expect(await indexes(index)).toEqual([{ valid: false }]);

    await db.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE query LIKE 'CREATE INDEX CONCURRENTLY "killed"%' AND pid <> pg_backend_pid()`,
    );
    expect(await first.exited).toMatchObject({ code: 1 });
    await writer.query('COMMIT');
    writer.release();
    expect(await second.exited).toMatchObject({ code: 0 });
    expect(await indexes(index)).toEqual([{ valid: true }]);
  },
);

it('a lock that it cannot get is named', async () => {
  givenMigration(LOCKED, 'ALTER TABLE "account" ADD COLUMN "nickname" text;');
  const reader = await db.pool.connect();
  await reader.query('BEGIN');
  await reader.query('SELECT FROM account');
  const process = ServiceProcess.start(toRun());
  await says(
    process,
    `The migration ${LOCKED} did not get its locks and was rolled back (the oldest transaction: process`,
  );
  await reader.query('COMMIT');
  reader.release();
  expect(await process.exited).toMatchObject({ code: 0 });
});
