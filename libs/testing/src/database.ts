import { randomUUID } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  url: string;
  pool: pg.Pool;
  /** Closes the pool and drops the database, also where something is still connected to it. */
  drop(): Promise<void>;
}

/** A database of its own for a test file: a clone of the migrated template that `npm test` has made. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = requireEnv('FAREBOX_TEST_DATABASE_URL');
  const template = requireEnv('FAREBOX_TEST_TEMPLATE');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runOnce(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${pg.escapeIdentifier(template)}`);

  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 10 });
  // A test may stop the server under the pool; what a query then meets is the query's to tell.
  pool.on('error', () => undefined);
  return {
    url: url.href,
    pool,
    async drop() {
      await pool.end();
      await runOnce(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Base URL of the Redis that `npm test` has started. Tests use keys with a prefix of their own. */
export function testRedisUrl(): string {
  return requireEnv('FAREBOX_TEST_REDIS_URL');
}

async function runOnce(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function requireEnv(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(
      `${name} is not set: run the tests with "npm test", or one project's with "npm test -- --projects <name>".`,
    );
  }
  return value;
}
