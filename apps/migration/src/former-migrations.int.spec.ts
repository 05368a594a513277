import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startTemporaryPostgres, workspaceRoot, type TemporaryPostgres } from '@farebox/local-services';
import pg from 'pg';
import { readCatalogue } from '../test/catalogue';
import { migrateDatabase } from './migrate-database';

/**
 * A database as the 30 migrations and the SQL files of revision f407aa8 made it, by `pg_dump --no-owner` (15.18, without
 * BullMQ's schema), with its roles before it: roles are not dumped.
 */
const FORMER = gunzipSync(readFileSync(path.join(__dirname, '../test/former-database.sql.gz'))).toString();

// A server each: roles are the server's.
let [fresh, former]: TemporaryPostgres[] = [];

beforeAll(async () => {
  [fresh, former] = await Promise.all([startTemporaryPostgres(), startTemporaryPostgres()]);
});
afterAll(() => Promise.all([fresh?.remove(), former?.remove()]));

async function on<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function givenFormer(name: string): Promise<string> {
  if (!former) throw new Error('no server');
  await on(former.server.url(), async (client) => {
    await client.query(`CREATE DATABASE ${name}`);
  });
  const url = former.server.url(name);
  const { rows } = await on(url, (client) =>
    client.query(`SELECT FROM pg_roles WHERE rolname = 'farebox_app'`),
  );
  const dump = rows.length === 0 ? FORMER : FORMER.replaceAll(/^CREATE ROLE .*$/gm, '');
  await on(url, (client) => client.query(dump));
  return url;
}

async function migrate(databaseUrl: string): Promise<string[]> {
  const said: string[] = [];
  await migrateDatabase({
    databaseUrl,
    migrationsFolder: path.join(workspaceRoot(), 'prisma/migrations'),
    libsFolder: path.join(workspaceRoot(), 'libs'),
    say: (line) => said.push(line),
  });
  return said;
}

/** Things that only one of the two has. */
async function differences(url: string, otherUrl: string): Promise<{ only: string[]; onlyOther: string[] }> {
  const [one, other] = [await on(url, readCatalogue), await on(otherUrl, readCatalogue)];
  expect(one.length).toBeGreaterThan(2_000);
  return {
    only: one.filter((line) => !other.includes(line)),
    onlyOther: other.filter((line) => !one.includes(line)),
  };
}

it('a database of the former migrations becomes what a fresh one is', async () => {
  const freshUrl = fresh?.server.url('fresh') ?? '';
  await migrate(freshUrl);
  const formerUrl = await givenFormer('former');
  expect(await migrate(formerUrl)).toContain('The 30 former migrations are noted as 20261122120000_init.');
  expect(await differences(freshUrl, formerUrl)).toEqual({ only: [], onlyOther: [] });
  expect(await migrate(formerUrl)).toEqual(['No migration was missing.']);
});

it.each([
  ['a right on a table', 'GRANT SELECT ON operator_action TO farebox_app'],
  ['a right on a column', 'GRANT SELECT (email) ON account TO farebox_app'],
  ['a right on a function', 'GRANT EXECUTE ON FUNCTION ledger_append TO farebox_worker'],
  ['a right on a schema', 'GRANT USAGE ON SCHEMA farebox_partition TO farebox_app'],
  ['a column that may be null', 'ALTER TABLE hold ALTER COLUMN model_id DROP NOT NULL'],
  ['a default', 'ALTER TABLE model ALTER COLUMN prompt_overhead SET DEFAULT 255'],
  ['a trigger less', 'DROP TRIGGER ledger_entry_append_only ON ledger_entry'],
  ['a trigger that is off', 'ALTER TABLE funding DISABLE TRIGGER funding_append_only'],
  ['a constraint less', 'ALTER TABLE account_funds DROP CONSTRAINT account_funds_held_not_negative'],
  ['an index more', 'CREATE INDEX more ON account (name)'],
  ['a setting of a table', 'ALTER TABLE hold RESET (autovacuum_vacuum_threshold)'],
  ['a setting of a role', `ALTER ROLE farebox_worker SET lock_timeout = '1s'`],
])('the comparison sees %s', async (_what, sql) => {
  const url = former?.server.url('former') ?? '';
  await on(url, async (client) => {
    const before = await readCatalogue(client);
    await client.query('BEGIN');
    await client.query(sql);
    expect(await readCatalogue(client)).not.toEqual(before);
    await client.query('ROLLBACK');
    expect(await readCatalogue(client)).toEqual(before);
  });
});

it('a database that has some of the former migrations is left as it is, and says what to do', async () => {
  const url = await givenFormer('half');
  await on(url, (client) =>
    client.query(`DELETE FROM _prisma_migrations WHERE migration_name = '20261122091004_partitions'`),
  );
  await expect(migrate(url)).rejects.toThrow(
    'The database has some of the 30 migrations of before 20261122120000_init, and not 20261122091004_partitions. Migrate it with the version that had them',
  );
  const names = await on(url, (client) => client.query('SELECT FROM _prisma_migrations'));
  expect(names.rowCount).toBe(29);
});
