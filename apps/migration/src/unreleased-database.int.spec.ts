import path from 'node:path';
import { startTemporaryPostgres, workspaceRoot, type TemporaryPostgres } from '@farebox/local-services';
import pg from 'pg';
import { migrateDatabase } from './migrate-database';

let postgres: TemporaryPostgres;

beforeAll(async () => {
  postgres = await startTemporaryPostgres();
});
afterAll(() => postgres.remove());

async function on<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
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

/** As if its first migration were its only one, under a name of then. */
const RENAME = `
  DELETE FROM _prisma_migrations WHERE migration_name > (SELECT min(migration_name) FROM _prisma_migrations);
  UPDATE _prisma_migrations SET migration_name = '20261122120000_init'`;
const TABLES = `
  SELECT schemaname, tablename FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2`;

it('a database of before the first release is left as it is, and the message says what to do', async () => {
  const url = postgres.server.url('unreleased');
  await migrate(url);
  await on(url, `${RENAME}; DROP TABLE farebox_install.sql_file; DROP TABLE uncharged_request`);
  const before = await on(url, TABLES);
  await expect(migrate(url)).rejects.toThrow(
    'A version from before the first release made this database, and no migration leads from there to this version. ' +
      'Begin with an empty database: "npm start -- --reset" deletes the one of "npm start".',
  );
  expect(await on(url, TABLES)).toEqual(before);
  expect(await on(url, 'SELECT migration_name AS name FROM _prisma_migrations')).toEqual([
    { name: '20261122120000_init' },
  ]);
});

it('a database of a later version is none of those', async () => {
  const url = postgres.server.url('later');
  await migrate(url);
  await on(
    url,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', '', '29990101_later', now())`,
  );
  expect(await migrate(url)).toEqual(['No migration was missing.']);
});
