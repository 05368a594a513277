import { randomUUID } from 'node:crypto';
import { TEST_ACCOUNT_LOGIN, TEST_SERVICE_LOGIN, TEST_WORKER_LOGIN, urlFor } from '@farebox/local-services';
import pg from 'pg';

export interface TestDatabase {
  /** The owner's, who may do everything: for what a test sets up and looks at, and for the operator's command. */
  url: string;
  pool: pg.Pool;
  /** Of a role with the rights of `farebox_app` alone: for gateways under test. */
  serviceUrl: string;
  servicePool: pg.Pool;
  /** Of a role with the rights of `farebox_account` alone: for the account service under test. */
  accountUrl: string;
  accountPool: pg.Pool;
  /** Of a role with the rights of `farebox_worker` alone: for workers under test. */
  workerUrl: string;
  workerPool: pg.Pool;
  /** Closes the pools and drops the database, also where something is still connected to it. */
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
  const serviceUrl = urlFor(TEST_SERVICE_LOGIN, url.href);
  const pool = openPool(url.href);
  const servicePool = openPool(serviceUrl);
  const accountUrl = urlFor(TEST_ACCOUNT_LOGIN, url.href);
  const accountPool = openPool(accountUrl);
  const workerUrl = urlFor(TEST_WORKER_LOGIN, url.href);
  const workerPool = openPool(workerUrl);
  return {
    url: url.href,
    pool,
    serviceUrl,
    servicePool,
    accountUrl,
    accountPool,
    workerUrl,
    workerPool,
    async drop() {
      await Promise.all([pool.end(), servicePool.end(), accountPool.end(), workerPool.end()]);
      await runOnce(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Base URL of the Redis that `npm test` has started. Tests use keys with a prefix of their own. */
export function testRedisUrl(): string {
  return requireEnv('FAREBOX_TEST_REDIS_URL');
}

function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  // A test may stop the server under the pool; what a query then meets is the query's to tell.
  pool.on('error', () => undefined);
  return pool;
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
