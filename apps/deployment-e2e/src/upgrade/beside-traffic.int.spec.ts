import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyLedger } from '@farebox/ledger';
import {
  provideServiceLogin,
  ServiceProcess,
  startTemporaryPostgres,
  TEST_SERVICE_LOGIN,
  urlFor,
  workspaceRoot,
  type TemporaryPostgres,
} from '@farebox/local-services';
import pg from 'pg';
import { startTraffic } from '../backup/traffic';
import { FORMER_MIGRATION, startFormerGateway, type FormerGateway } from './former-gateway';

// Each migration since the version before, on a database with data, beside charges and beside a reader that does not
// end. A new migration is run like this by being there. It may wait for the reader; nobody may wait for it. Three of the
// test's own are always there, one of each kind, so that the way is tried even if nothing has changed.

const CHARGES_BEFORE = 10_000;
/** So many must go through while a migration waits, and after it. */
const CHARGES_BESIDE = 60;
const POLL_MS = 50;

/** Needs a lock that the reader is in the way of. */
const COLUMN = '20990101000000_column';
const OWN_MIGRATIONS: Readonly<Record<string, string>> = {
  [COLUMN]:
    'ALTER TABLE "hold" ADD COLUMN "upgrade_note" text;\nALTER TABLE "account_funds" ADD COLUMN "upgrade_note" text;',
  '20990101000001_index': 'CREATE INDEX CONCURRENTLY "hold_of_account" ON "hold" ("account_id");',
  '20990101000002_no_index': 'DROP INDEX CONCURRENTLY "hold_of_account";',
};

const newMigrations = readdirSync(path.join(workspaceRoot(), 'prisma/migrations'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name > FORMER_MIGRATION)
  .map(({ name }) => name)
  .sort();
const migrations = [...newMigrations, ...Object.keys(OWN_MIGRATIONS)];

let folder: string;
let postgres: TemporaryPostgres;
let owner: pg.Pool;
let databaseUrl: string;
let gateway: FormerGateway;

beforeAll(async () => {
  postgres = await startTemporaryPostgres();
  databaseUrl = postgres.server.url('upgraded');
  folder = mkdtempSync(path.join(tmpdir(), 'farebox-upgrade-'));
  givenVersions();
  const former = startMigration('former');
  const { code } = await former.exited;
  if (code !== 0) throw new Error(former.output.last(Infinity).join('\n'));
  await provideServiceLogin(databaseUrl, TEST_SERVICE_LOGIN);
  owner = new pg.Pool({ connectionString: databaseUrl });
  gateway = await startFormerGateway(owner, urlFor(TEST_SERVICE_LOGIN, databaseUrl));
  await gateway.fill(CHARGES_BEFORE);
});

afterAll(async () => {
  await gateway.stop();
  await owner.end();
  await postgres.remove();
  rmSync(folder, { recursive: true });
});

/** The migration as it is deployed: without the new migrations, and with these, those of the test and other SQL files. */
function givenVersions(): void {
  const [former, next] = [path.join(folder, 'former'), path.join(folder, 'next')];
  for (const version of [former, next])
    cpSync(path.join(workspaceRoot(), 'dist/migration'), version, { recursive: true });
  for (const name of newMigrations) rmSync(path.join(former, 'migrations', name), { recursive: true });
  takeAwayNewTables(former, bringBackFormerSql(former));
  for (const [name, sql] of Object.entries(OWN_MIGRATIONS)) {
    mkdirSync(path.join(next, 'migrations', name));
    writeFileSync(path.join(next, 'migrations', name, 'migration.sql'), sql);
  }
  for (const file of readdirSync(path.join(next, 'libs'), { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.sql')) appendFileSync(path.join(next, 'libs', file), '\n-- Of the next version.\n');
}

const read = (file: string): string => readFileSync(file, 'utf8');
/** The names of what a file makes. */
const made = (sql: string, what: 'TABLE' | 'FUNCTION'): string[] =>
  [...sql.matchAll(new RegExp(`^CREATE (?:OR REPLACE )?${what} (\\w+)`, 'gm'))].map(([, name = '']) => name);

/**
 * SQL files as they were in the version before, for those that write columns that it did not have. Answers with the
 * functions that those did not make.
 */
function bringBackFormerSql(former: string): string[] {
  const copies = path.join(__dirname, 'former-sql');
  return readdirSync(copies, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .flatMap((file) => {
      const { dir, base } = path.parse(file);
      const installed = path.join(former, 'libs', dir, 'sql', base);
      const functions = made(read(installed), 'FUNCTION');
      cpSync(path.join(copies, file), installed);
      const formerFunctions = made(read(installed), 'FUNCTION');
      return functions.filter((name) => !formerFunctions.includes(name));
    });
}

/**
 * Takes out of the former version's SQL what is of tables that it does not have: the files about them, and from the lists
 * of `rights.sql` their names and those of a function of those files, of `newFunctions`, and of a new column.
 */
function takeAwayNewTables(former: string, newFunctions: readonly string[]): void {
  const folders = newMigrations.map((name) => path.join(workspaceRoot(), 'prisma/migrations', name));
  const tables = folders.flatMap((one) => made(read(path.join(one, 'migration.sql')), 'TABLE'));
  const columns = folders.flatMap((one) =>
    [...read(path.join(one, 'migration.sql')).matchAll(/ADD COLUMN (\w+)/g)].map(([, name = '']) => name),
  );
  const names = (all: readonly string[]): RegExp =>
    all.length === 0 ? /(?!)/ : new RegExp(`\\b(?:${all.join('|')})\\b`);
  const files = readdirSync(path.join(former, 'libs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .map((file) => path.join(former, 'libs', file));
  const isOfRights = (file: string): boolean => path.basename(file) === 'rights.sql';
  const isNew = (file: string): boolean => !isOfRights(file) && names(tables).test(read(file));
  const gone = [
    ...tables,
    ...newFunctions,
    ...files.filter(isNew).flatMap((file) => made(read(file), 'FUNCTION')),
  ];
  for (const file of files.filter(isNew)) rmSync(file);
  const withoutNew = (statement: string): string =>
    without(statement, names(gone)).replace(/\([^)]*\)/g, (list) => without(list, names(columns)));
  for (const file of files.filter(isOfRights)) {
    const statements = read(file)
      .split(/(?<=;\n)/)
      .map(withoutNew);
    writeFileSync(
      file,
      statements.filter((one) => !/\(\s*\)|\bON\s+(?:FUNCTION\s+)?TO\b/.test(one)).join(''),
    );
  }
}

/** A text without names that stand in its lists. */
const without = (text: string, names: RegExp): string =>
  text.replace(new RegExp(`${names.source},?\\s*`, 'g'), '').replace(/,(\s*(?:\)|TO\b))/g, '$1');

function startMigration(version: 'former' | 'next', ...args: string[]): ServiceProcess {
  return ServiceProcess.start({
    name: 'migration',
    args: [path.join(folder, version, 'main.js'), ...args],
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl },
  });
}

/** A transaction that has read every table, and holds its locks and its snapshot until it is told to end. */
async function beginLongRead(): Promise<() => Promise<void>> {
  const reader = new pg.Client({ connectionString: databaseUrl, application_name: 'long-reader' });
  await reader.connect();
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  const { rows } = await reader.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
  );
  for (const { name } of rows) await reader.query(`SELECT * FROM ${name} LIMIT 1`);
  return async () => {
    await reader.query('COMMIT');
    await reader.end();
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(POLL_MS);
}

async function chargedSoManyMore(): Promise<void> {
  const before = gateway.charged();
  await until(() => gateway.charged() >= before + CHARGES_BESIDE || gateway.failures().length > 0);
}

async function migrateBesideAll(...args: string[]): Promise<string> {
  const endRead = await beginLongRead();
  const migration = startMigration('next', ...args);
  let hasEnded = false;
  const ended = migration.exited.finally(() => (hasEnded = true));
  const output = (): string => migration.output.last(Infinity).join('\n');
  try {
    // Until it is through, or has met the reader and said so.
    await until(() => hasEnded || /tries again|has run for/.test(output()) || gateway.failures().length > 0);
    await chargedSoManyMore();
    expect(gateway.failures()).toEqual([]);
  } finally {
    await endRead();
    await ended;
  }
  expect({ exit: await ended, output: output() }).toMatchObject({ exit: { code: 0 } });
  await chargedSoManyMore();
  expect(gateway.failures()).toEqual([]);
  return output();
}

it.each(migrations)(
  '%s goes in while charges and a long reader go on',
  async (migration) => {
    const said = await migrateBesideAll('--until', migration);
    expect(said).toContain(`Applied ${migration}.`);
    // It has met the reader, let go, and come again.
    if (migration === COLUMN) expect(said).toContain('did not get its locks and was rolled back');
  },
  120_000,
);

it('so do the SQL functions and the tables of the job queue, and the gateway of the version before goes on', async () => {
  expect(await migrateBesideAll()).toMatch(/Installed the SQL of .*database\/append-only\.sql/);
});

it('the gateway of this version charges beside it, and the books are right', async () => {
  const serviceUrl = urlFor(TEST_SERVICE_LOGIN, databaseUrl);
  const traffic = await startTraffic(owner, serviceUrl);
  await until(() => traffic.charged() >= CHARGES_BESIDE);
  await chargedSoManyMore();
  await traffic.stop();
  await gateway.stop();
  expect(gateway.failures()).toEqual([]);
  expect((await verifyLedger(owner)).differences).toEqual([]);
});
