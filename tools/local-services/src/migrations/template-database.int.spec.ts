import pg from 'pg';
import { startTemporaryPostgres, type TemporaryPostgres } from '../postgres/temporary-postgres';
import { applyMigrations } from './apply-migrations';
import { createTemplateDatabase } from './template-database';

let postgres: TemporaryPostgres;

beforeAll(async () => {
  postgres = await startTemporaryPostgres();
});

afterAll(async () => {
  await postgres.remove();
});

async function query(database: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: postgres.server.url(database) });
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
});

it('applies migrations to a database that does not exist yet, and again without harm', async () => {
  await applyMigrations(postgres.server.url('fresh'));
  await applyMigrations(postgres.server.url('fresh'));

  expect(await query('fresh', appliedMigrations)).toEqual([{ applied: true }]);
});

it('passes on what Prisma says where the database cannot be reached', async () => {
  await expect(applyMigrations('postgresql://nobody:x@127.0.0.1:1/none')).rejects.toThrow(
    /Can't reach database server/,
  );
});
