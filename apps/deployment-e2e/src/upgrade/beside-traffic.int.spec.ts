import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyLedger } from '@farebox/ledger';
import {
  provideServiceLogin,
  type RedisServer,
  runToEnd,
  ServiceProcess,
  startTemporaryPostgres,
  TEST_SERVICE_LOGIN,
  urlFor,
  workspaceRoot,
  type TemporaryPostgres,
} from '@farebox/local-services';
import { startSimulatedUpstream, type SimulatedUpstream } from '@farebox/simulated-upstream';
import { modelOf, startTestRedis } from '@farebox/testing';
import pg from 'pg';
import { MODEL, startServingGateway, type ServingGateway } from './serving-gateway';

// Each migration since the version before, on a database with data, beside a gateway of that version and beside a reader that
// does not end. It may wait for the reader; nobody may wait for it. Three migrations of the test's own are always there, one
// of each kind, so that the next version's are tried before there are any.

/** A checkout of the version before, with its bundles. As long as nothing is released that is this one. */
const release = process.env['FAREBOX_TEST_UPGRADE_FROM'] ?? '';
const BEFORE = release === '' ? workspaceRoot() : release;

const CHARGES_BEFORE = 500;
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
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => !existsSync(path.join(BEFORE, 'prisma/migrations', name)))
  .sort();
const migrations = [...newMigrations, ...Object.keys(OWN_MIGRATIONS)];

let folder: string;
let postgres: TemporaryPostgres;
let redis: RedisServer;
let upstream: SimulatedUpstream;
let owner: pg.Pool;
let databaseUrl: string;
let gateway: ServingGateway;

beforeAll(async () => {
  postgres = await startTemporaryPostgres();
  redis = await startTestRedis();
  upstream = await startSimulatedUpstream();
  databaseUrl = postgres.server.url('upgraded');
  folder = mkdtempSync(path.join(tmpdir(), 'farebox-upgrade-'));
  givenNextVersion();
  await runToEnd(ofBefore('migration'));
  await provideServiceLogin(databaseUrl, TEST_SERVICE_LOGIN);
  const catalog = path.join(folder, 'catalog.yaml');
  writeFileSync(
    catalog,
    `upstreams:\n  - { id: sim, base_url: "${upstream.url}" }\nmodels:\n${modelOf(MODEL, 'sim-small')}`,
  );
  await runToEnd(ofBefore('admin', 'catalog', 'apply', catalog));
  owner = new pg.Pool({ connectionString: databaseUrl });
  gateway = await serveFrom(BEFORE);
  await until(() => gateway.charged() >= CHARGES_BEFORE || gateway.failures().length > 0);
});

afterAll(async () => {
  await gateway.stop();
  await owner.end();
  await upstream.close();
  await redis.remove();
  await postgres.remove();
  rmSync(folder, { recursive: true });
});

/** A program of the version before, as the owner. */
const ofBefore = (program: string, ...args: string[]) => ({
  name: program,
  args: [path.join(BEFORE, 'dist', program, 'main.js'), ...args],
  env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl },
});

const serveFrom = (checkout: string): Promise<ServingGateway> =>
  startServingGateway({
    checkout,
    pool: owner,
    serviceUrl: urlFor(TEST_SERVICE_LOGIN, databaseUrl),
    redisUrl: redis.url,
  });

/** The migration as it is deployed, with those of the test, and with other SQL files. */
function givenNextVersion(): void {
  cpSync(path.join(workspaceRoot(), 'dist/migration'), folder, { recursive: true });
  for (const [name, sql] of Object.entries(OWN_MIGRATIONS)) {
    mkdirSync(path.join(folder, 'migrations', name));
    writeFileSync(path.join(folder, 'migrations', name, 'migration.sql'), sql);
  }
  for (const file of readdirSync(path.join(folder, 'libs'), { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.sql')) appendFileSync(path.join(folder, 'libs', file), '\n-- Of the next version.\n');
}

/** A transaction that has read every table, and holds its locks and its snapshot until it must end. */
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
  const migration = ServiceProcess.start({
    name: 'migration',
    args: [path.join(folder, 'main.js'), ...args],
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl },
  });
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

it.each(migrations)('%s goes in while charges and a long reader go on', async (migration) => {
  const said = await migrateBesideAll('--until', migration);
  expect(said).toContain(`Applied ${migration}.`);
  // It has met the reader, let go, and come again.
  if (migration === COLUMN) expect(said).toContain('did not get its locks and was rolled back');
});

it('so do the SQL functions and the tables of the job queue, and the gateway of the version before goes on', async () => {
  expect(await migrateBesideAll()).toMatch(/Installed the SQL of .*database\/append-only\.sql/);
});

it('a gateway of this version charges beside it, and the books are right', async () => {
  const next = await serveFrom(workspaceRoot());
  await until(() => next.charged() >= CHARGES_BESIDE || next.failures().length > 0);
  await chargedSoManyMore();
  await next.stop();
  await gateway.stop();
  expect([...gateway.failures(), ...next.failures()]).toEqual([]);
  expect((await verifyLedger(owner)).differences).toEqual([]);
});
