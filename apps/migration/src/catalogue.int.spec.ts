import path from 'node:path';
import { startTemporaryPostgres, workspaceRoot, type TemporaryPostgres } from '@farebox/local-services';
import pg from 'pg';
import { readCatalogue } from '../test/catalogue';
import { migrateDatabase } from './migrate-database';

let postgres: TemporaryPostgres;
let client: pg.Client;

beforeAll(async () => {
  postgres = await startTemporaryPostgres();
  const databaseUrl = postgres.server.url('migrated');
  await migrateDatabase({
    databaseUrl,
    migrationsFolder: path.join(workspaceRoot(), 'prisma/migrations'),
    libsFolder: path.join(workspaceRoot(), 'libs'),
    say: () => undefined,
  });
  client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await postgres.remove();
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
])('the comparison of catalogues sees %s', async (_what, sql) => {
  const before = await readCatalogue(client);
  expect(before.length).toBeGreaterThan(2_000);
  await client.query('BEGIN');
  await client.query(sql);
  expect(await readCatalogue(client)).not.toEqual(before);
  await client.query('ROLLBACK');
  expect(await readCatalogue(client)).toEqual(before);
});
