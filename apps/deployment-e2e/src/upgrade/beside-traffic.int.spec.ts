import { readdirSync } from 'node:fs';
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
// end. A new migration is run like this by being there. It may wait for the reader; nobody may wait for it.

const CHARGES_BEFORE = 10_000;
/** So many must go through while a migration waits, and after it. */
const CHARGES_BESIDE = 60;
const POLL_MS = 50;

const migrations = readdirSync(path.join(workspaceRoot(), 'prisma/migrations'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name > FORMER_MIGRATION)
  .map(({ name }) => name)
  .sort();

let postgres: TemporaryPostgres;
let owner: pg.Pool;
let databaseUrl: string;
let gateway: FormerGateway;

beforeAll(async () => {
  postgres = await startTemporaryPostgres();
  databaseUrl = postgres.server.url('upgraded');
  expect(await startMigration('--until', FORMER_MIGRATION).exited).toMatchObject({ code: 0 });
  await provideServiceLogin(databaseUrl, TEST_SERVICE_LOGIN);
  owner = new pg.Pool({ connectionString: databaseUrl });
  gateway = await startFormerGateway(owner, urlFor(TEST_SERVICE_LOGIN, databaseUrl));
  await gateway.fill(CHARGES_BEFORE);
}, 120_000);

afterAll(async () => {
  await gateway.stop();
  await owner.end();
  await postgres.remove();
});

function startMigration(...args: string[]): ServiceProcess {
  return ServiceProcess.start({
    name: 'npm run migrate',
    args: [path.join(workspaceRoot(), 'dist/migration/main.js'), '--workspace', workspaceRoot(), ...args],
    env: { ...process.env, DATABASE_URL: databaseUrl },
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

async function migrateBesideAll(...args: string[]): Promise<void> {
  const endRead = await beginLongRead();
  const migration = startMigration(...args);
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
}

it.each(migrations)(
  '%s goes in while charges and a long reader go on',
  async (migration) => {
    await migrateBesideAll('--until', migration);
  },
  120_000,
);

it('so do the SQL functions and the tables of the job queue, and the gateway of the version before goes on', async () => {
  await migrateBesideAll();
}, 120_000);

it('the gateway of this version charges beside it, and the books are right', async () => {
  const serviceUrl = urlFor(TEST_SERVICE_LOGIN, databaseUrl);
  const traffic = await startTraffic(owner, serviceUrl);
  await until(() => traffic.charged() >= CHARGES_BESIDE);
  await chargedSoManyMore();
  await traffic.stop();
  await gateway.stop();
  expect(gateway.failures()).toEqual([]);
  expect((await verifyLedger(owner)).differences).toEqual([]);
}, 120_000);
