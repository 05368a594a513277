import { type Environment, loadConfig } from '@farebox/config';
import { QUEUE_NAMES } from '@farebox/jobs';
import { CONNECTION_SHARES, type ServiceLogin } from '@farebox/local-services';
import { runMigrations } from 'bullmq';
import pg from 'pg';
import { codeOf, messageOf, openOwnerSession, type OwnerSession } from './owner-session';
import { applyMigrations, readMigrations } from './schema-migrations';
import { installSqlFiles, readSqlFiles } from './sql-files';

interface MigrationOptions {
  /** As the owner of the database. */
  databaseUrl: string;
  /** With a folder for each migration. */
  migrationsFolder: string;
  /** With the libraries, whose SQL is in their folders `sql`. */
  libsFolder: string;
  /** The last migration to apply. Nothing else is done then. */
  until?: string | undefined;
  /** Receives a line for each step, and for each wait. */
  say: (line: string) => void;
}

/**
 * Brings a database to the state that this code needs, as its owner and while services use it: creates it if
 * it does not exist, then applies the migrations, the libraries' SQL functions, and the job queue's tables.
 * Concurrent runs wait for each other; an interrupted one is repeated.
 */
export async function migrateDatabase(options: MigrationOptions): Promise<void> {
  const { databaseUrl, until, say } = options;
  await ensureDatabase(databaseUrl);
  const session = await openOwnerSession(databaseUrl, say);
  try {
    const applied = await applyMigrations(session, readMigrations(options.migrationsFolder), until);
    say(applied.length === 0 ? 'No migration was missing.' : `Applied ${applied.join(', ')}.`);
    if (until !== undefined) return;
    const installed = await installSqlFiles(session, readSqlFiles(options.libsFolder));
    if (installed.length > 0) say(`Installed the SQL of ${installed.join(', ')}.`);
    await prepareQueue(session);
  } finally {
    await session.close();
  }
}

const NO_SUCH_DATABASE = '3D000';
const DATABASE_IS_THERE = '42P04';
const WRONG_PASSWORD = '28P01';

async function ensureDatabase(url: string): Promise<void> {
  try {
    await onServer(url, 'SELECT 1');
  } catch (error) {
    if (codeOf(error) === NO_SUCH_DATABASE) await createDatabase(new URL(url));
    else if (codeOf(error) === WRONG_PASSWORD) throw error;
    else
      throw new Error(`Can't reach database server at ${new URL(url).host}: ${messageOf(error)}`, {
        cause: error,
      });
  }
}

/** Through the server's default database. */
async function createDatabase(url: URL): Promise<void> {
  const name = decodeURIComponent(url.pathname.slice(1));
  const server = new URL(url);
  server.pathname = '/postgres';
  try {
    await onServer(server.href, `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  } catch (error) {
    // A concurrent run created it first.
    if (codeOf(error) !== DATABASE_IS_THERE) throw error;
  }
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The schema of BullMQ's queues: libs/jobs/src/job-backend.ts. */
const QUEUE_SCHEMA = 'bullmq';
/** BullMQ creates a sequence for each queue, which the services may not do. */
const QUEUE_SEQUENCES = `
  SELECT ${QUEUE_SCHEMA}.next_job_id(queue) FROM unnest($1::text[]) AS queue
  WHERE to_regclass('${QUEUE_SCHEMA}.' || ${QUEUE_SCHEMA}.job_id_seq_name(queue)) IS NULL`;
/** Gateways and workers add and remove jobs, operators retry and discard them. The tables themselves belong to the owner. */
const QUEUE_RIGHTS = `
  GRANT USAGE ON SCHEMA ${QUEUE_SCHEMA} TO farebox_app, farebox_worker, farebox_operator;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO farebox_app, farebox_worker, farebox_operator;
  REVOKE INSERT, UPDATE, DELETE ON ${QUEUE_SCHEMA}.migration FROM farebox_app, farebox_worker, farebox_operator;
  GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${QUEUE_SCHEMA} TO farebox_app, farebox_worker, farebox_operator`;

/**
 * Migrates the tables of the job queue to the installed version of BullMQ, in case it is kept in PostgreSQL.
 */
async function prepareQueue(session: OwnerSession): Promise<void> {
  await session.withoutTransaction('The preparation of the job queue', async () => {
    await runMigrations(session.client, QUEUE_SCHEMA);
    await session.client.query(QUEUE_SEQUENCES, [QUEUE_NAMES]);
    await session.client.query(QUEUE_RIGHTS);
  });
}

interface MigrationConfig {
  /** As the owner of the database. */
  databaseUrl: string;
  /** Created, or given their passwords again, after the migrations. */
  logins: readonly ServiceLogin[];
}

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: MigrationConfig; warnings: string[] } {
  const { values, warnings } = loadConfig('migration', environment);
  const logins = [
    loginOf(values.FAREBOX_GATEWAY_DATABASE_URL, 'farebox_app'),
    loginOf(values.FAREBOX_ACCOUNT_DATABASE_URL, 'farebox_account'),
    loginOf(values.FAREBOX_WORKER_DATABASE_URL, 'farebox_worker'),
    loginOf(values.FAREBOX_OPERATOR_DATABASE_URL, 'farebox_operator'),
  ];
  return {
    config: { databaseUrl: values.DATABASE_URL, logins: logins.filter((login) => login !== undefined) },
    warnings,
  };
}

function loginOf(
  url: string | undefined,
  group: NonNullable<ServiceLogin['group']>,
): ServiceLogin | undefined {
  if (url === undefined) return undefined;
  const { username, password } = new URL(url);
  return {
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    group,
    connectionShare: CONNECTION_SHARES[group],
  };
}
