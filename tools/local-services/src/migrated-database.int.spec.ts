import pg from 'pg';
import {
  applyMigrations,
  createTemplateDatabase,
  provideServiceLogin,
  startTemporaryPostgres,
  type TemporaryPostgres,
  TEST_SERVICE_LOGIN,
  urlFor,
} from './migrated-database';

let postgres: TemporaryPostgres;

beforeAll(async () => {
  postgres = await startTemporaryPostgres();
});

afterAll(async () => {
  await postgres.remove();
});

const query = (database: string, sql: string): Promise<unknown[]> =>
  queryOn(postgres.server.url(database), sql);
const queryAsService = (database: string, sql: string): Promise<unknown[]> =>
  queryOn(urlFor(TEST_SERVICE_LOGIN, postgres.server.url(database)), sql);

async function queryOn(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const appliedMigrations = 'SELECT count(*)::int > 0 AS applied FROM _prisma_migrations';

it('makes a database with all migrations that can be cloned', async () => {
  await createTemplateDatabase(postgres.server.url(), 'template_under_test');
  await query('postgres', 'CREATE DATABASE clone TEMPLATE template_under_test');

  expect(await query('clone', appliedMigrations)).toEqual([{ applied: true }]);
  await expect(query('template_under_test', 'SELECT 1')).rejects.toThrow(/not currently accepting/);
  // A service has the same rights in a clone as in the template.
  expect(await queryAsService('clone', 'SELECT count(*)::int AS accounts FROM account')).toEqual([
    { accounts: 0 },
  ]);
  await expect(queryAsService('clone', 'DELETE FROM ledger_entry')).rejects.toMatchObject({ code: '42501' });
});

it('applies migrations to a database that does not exist yet, and again without harm', async () => {
  await applyMigrations(postgres.server.url('fresh'));
  await applyMigrations(postgres.server.url('fresh'));

  expect(await query('fresh', appliedMigrations)).toEqual([{ applied: true }]);
});

it('does not let a service create a temporary table or a large object', async () => {
  await applyMigrations(postgres.server.url('bounded'));
  await provideServiceLogin(postgres.server.url('bounded'), TEST_SERVICE_LOGIN);
  for (const sql of ['CREATE TEMP TABLE mine (id int)', 'SELECT lo_create(0)'])
    await expect(queryAsService('bounded', sql)).rejects.toMatchObject({ code: '42501' });
});

it('bounds the connections of a login by its share, and keeps a limit that an operator has set', async () => {
  const url = postgres.server.url('shares');
  await applyMigrations(url);
  const login = { user: 'farebox_bounded', password: 'x', connectionShare: 0.2 };
  const limitOf = `SELECT rolconnlimit AS "limit" FROM pg_roles WHERE rolname = 'farebox_bounded'`;
  const fifth = `SELECT current_setting('max_connections')::int / 5 AS "limit"`;
  await provideServiceLogin(url, login);
  expect(await query('shares', limitOf)).toEqual(await query('shares', fifth));
  await query('shares', 'ALTER ROLE farebox_bounded CONNECTION LIMIT 7');
  await provideServiceLogin(url, login);
  expect(await query('shares', limitOf)).toEqual([{ limit: 7 }]);
});

it('installs the SQL of a changed file, with exactly the rights that it grants', async () => {
  await applyMigrations(postgres.server.url('changed'));
  await query('changed', 'DROP FUNCTION ledger_hold_states(uuid[])');
  await query(
    'changed',
    `UPDATE farebox_install.sql_file SET sha256 = 'older' WHERE name = 'ledger/batch.sql'`,
  );
  await applyMigrations(postgres.server.url('changed'));

  const mayCall = `SELECT has_function_privilege('public', 'ledger_hold_states(uuid[])', 'EXECUTE') AS granted`;
  expect(await query('changed', mayCall)).toEqual([{ granted: false }]);
});

it('gives the services the use of a job queue that existed before their role', async () => {
  await applyMigrations(postgres.server.url('older'));
  await query('older', 'REVOKE ALL ON ALL TABLES IN SCHEMA bullmq FROM farebox_app');
  await query('older', 'REVOKE ALL ON SCHEMA bullmq FROM farebox_app');
  await applyMigrations(postgres.server.url('older'));

  await provideServiceLogin(postgres.server.url('older'), TEST_SERVICE_LOGIN);
  expect(await queryAsService('older', 'DELETE FROM bullmq.job')).toEqual([]);
  await expect(queryAsService('older', 'DELETE FROM bullmq.migration')).rejects.toMatchObject({
    code: '42501',
  });
});

it('reports that the database cannot be reached', async () => {
  await expect(applyMigrations('postgresql://nobody:x@127.0.0.1:1/none')).rejects.toThrow(
    /Can't reach database server/,
  );
});
