import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  locateRedis,
  RedisServer,
  TEST_ACCOUNT_LOGIN,
  TEST_OPERATOR_LOGIN,
  TEST_SERVICE_LOGIN,
  TEST_WORKER_LOGIN,
  thisMachine,
  urlFor,
} from '@farebox/local-services';
import pg, { type Pool } from 'pg';

export interface TestDatabase {
  /**
   * The owner's URL, with all rights: for the test's set-up and assertions, and for the operator's command.
   */
  url: string;
  pool: pg.Pool;
  /** For a role with only the rights of `farebox_app`: for gateways under test. */
  serviceUrl: string;
  servicePool: pg.Pool;
  /** For a role with only the rights of `farebox_account`: for the account service under test. */
  accountUrl: string;
  accountPool: pg.Pool;
  /** For a role with only the rights of `farebox_worker`: for workers under test. */
  workerUrl: string;
  workerPool: pg.Pool;
  /** For a role with only the rights of `farebox_operator`: for operator services under test. */
  operatorUrl: string;
  /** Closes the pools and drops the database, even if something is still connected to it. */
  drop(): Promise<void>;
}

/** For a test's own pools: the machine may stall for some seconds. */
export const PATIENT_POOL = { connectTimeoutMs: 60_000, statementTimeoutMs: 60_000, lockTimeoutMs: 60_000 };
/** The same for a ledger. Tests of these limits set their own. */
export const PATIENT_LEDGER = { leaseMs: 60_000, admissionTimeoutMs: 60_000, settlementTimeoutMs: 60_000 };
/** The same for a job sender. */
export const PATIENT_SENDER = { timeoutMs: 60_000 };

/** A separate database for a test file: a clone of the migrated template that `npm test` created. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = requireEnv('FAREBOX_TEST_DATABASE_URL');
  const template = requireEnv('FAREBOX_TEST_TEMPLATE');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Copied as files: PostgreSQL's default, copying through the log, takes three times the work.
  const from = `${pg.escapeIdentifier(template)} STRATEGY FILE_COPY`;
  await runOnce(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${from}`);

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
    operatorUrl: urlFor(TEST_OPERATOR_LOGIN, url.href),
    async drop() {
      await Promise.all([pool.end(), servicePool.end(), accountPool.end(), workerPool.end()]);
      await runOnce(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/**
 * A separate Redis for a test that stops it, empties it or keeps queues in it: a worker takes the jobs of
 * every database whose queues are in the same Redis, and several projects are tested at once.
 */
export async function startTestRedis(): Promise<RedisServer> {
  const source = locateRedis({ ...thisMachine(() => undefined), env: {} });
  if (source.kind !== 'program') throw new Error('This test starts a Redis of its own.');
  return RedisServer.start(source.path);
}

/**
 * Base URL of the Redis started by `npm test`, which every project under test shares. Tests use their own
 * keys, and no queues: see `startTestRedis`.
 */
export function testRedisUrl(): string {
  return requireEnv('FAREBOX_TEST_REDIS_URL');
}

function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  // A test may stop the server of the pool; the affected query then reports it.
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

/** Definitions by name and parameter types. */
export type SqlFunctions = Record<string, string>;

/**
 * The functions with this prefix that `npm run migrate` installed, and those that a folder of SQL files
 * installs in their place, with their types. `left`: functions that could not be dropped in between, so none.
 */
export async function reinstallSqlFunctions(
  pool: Pool,
  prefix: string,
  folder: string,
): Promise<{ installed: SqlFunctions; left: SqlFunctions; fromFiles: SqlFunctions }> {
  const installed = await functionsOf(pool, prefix);
  for (const name of Object.keys(installed)) await pool.query(`DROP FUNCTION ${name}`);
  const types = await typesOf(pool, prefix);
  for (const name of types) await pool.query(`DROP TYPE ${name}`);
  const left = await functionsOf(pool, prefix);
  // Functions need existing types, and rights existing functions: in the order of npm run migrate.
  const placeOf = (file: string): number => Number(file === 'rights.sql') - Number(file.startsWith('types'));
  const files = readdirSync(folder).sort((a, b) => placeOf(a) - placeOf(b));
  for (const file of files) await pool.query(readFileSync(join(folder, file), 'utf8'));
  return { installed, left, fromFiles: await functionsOf(pool, prefix) };
}

async function functionsOf(pool: Pool, prefix: string): Promise<SqlFunctions> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `SELECT p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS definition
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = 'public' AND starts_with(p.proname, $1) ORDER BY 1`,
    [prefix],
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.definition]));
}

/** Composite types that are no table's. */
async function typesOf(pool: Pool, prefix: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.reltype::regtype::text AS name FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'c' AND starts_with(c.relname, $1)`,
    [prefix],
  );
  return rows.map(({ name }) => name);
}
