import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Queue } from 'bullmq';
import type { BreakableDatabase, Trouble } from './breakable-database';

/** Of what services log in as, and of connections that are being opened and do not show yet whose they are. */
const OF_SERVICE = `backend_type = 'client backend' AND pid <> pg_backend_pid() AND (usename = $1 OR state = 'starting')`;
const POLL_MS = 20;

/** No gateway gets a connection any more, and those that they had are ended. */
export async function refuseConnections(database: BreakableDatabase): Promise<Trouble> {
  const { pool, serviceUrl } = database;
  const user = new URL(serviceUrl).username;
  const limit = (connections: number) =>
    pool.query(`ALTER ROLE ${pg.escapeIdentifier(user)} CONNECTION LIMIT ${String(connections)}`);
  const trouble = database.begin(() => limit(-1));
  await limit(0);
  const endAll = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OF_SERVICE}`;
  while ((await pool.query(endAll, [user])).rowCount !== 0) await sleep(POLL_MS);
  return trouble;
}

/** Has all that was committed so far on the disk: holds and charges are in force before that, and a crash may take them. */
export async function flushCommits(pool: pg.Pool): Promise<void> {
  await pool.query(`SELECT pg_logical_emit_message(true, 'test', '')`);
}

/** Every row that is inserted into a table is refused with an error code: as by a server that cannot do it. */
export async function refuseWrites(
  database: BreakableDatabase,
  { table, code, times }: { table: string; code: string; times?: number },
): Promise<Trouble> {
  const { pool } = database;
  const name = `refuse_${table}`;
  const trouble = database.begin(() =>
    pool.query(`DROP FUNCTION IF EXISTS ${name}() CASCADE; DROP SEQUENCE IF EXISTS ${name}`),
  );
  await pool.query(`
    CREATE SEQUENCE ${name};
    GRANT USAGE ON SEQUENCE ${name} TO PUBLIC;
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('public.${name}') <= ${times === undefined ? '9223372036854775807' : String(times)} THEN
        RAISE EXCEPTION 'refused for a test' USING ERRCODE = '${code}';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER ${name} BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${name}()`);
  return trouble;
}

/** Nobody moves money until it ends. */
export function lockFunds(database: BreakableDatabase): Promise<Trouble> {
  return lock(database, 'SELECT 1 FROM account_funds ORDER BY account_id FOR UPDATE');
}

/** Nothing is charged until it ends; holds are placed as ever. */
export function lockCharges(database: BreakableDatabase): Promise<Trouble> {
  return lock(database, 'LOCK TABLE usage_record IN SHARE MODE');
}

/** Nobody looks an API key up until it ends. */
export function lockKeys(database: BreakableDatabase): Promise<Trouble> {
  return lock(database, 'LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE');
}

async function lock(database: BreakableDatabase, sql: string): Promise<Trouble> {
  const client = await database.pool.connect();
  const trouble = database.begin(async () => {
    const isUndone = await client.query('ROLLBACK').then(
      () => true,
      () => false,
    );
    client.release(!isUndone);
  });
  await client.query(`BEGIN; ${sql}`);
  return trouble;
}

/** By the name that its connections have. */
export type Waiter = 'farebox-gateway' | 'farebox-ledger' | 'farebox-worker';

/** The server processes of a client that wait for a lock. */
export async function findWaiting(pool: pg.Pool, waiter: Waiter): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'`,
    [waiter],
  );
  return rows.map(({ pid }) => pid);
}

/** Everything that is written of money. */
const TABLES = [
  'account_funds',
  'account_day',
  'api_key_month',
  'hold',
  'ledger_entry',
  'usage_record',
  'usage_hour',
  'billing_review',
  'idempotency_claim',
] as const;

/** Every row that is written of money, as text. */
export async function readMoneyRows(pool: pg.Pool): Promise<string[]> {
  const all = TABLES.map((table) => `SELECT '${table} ' || t::text AS row FROM ${table} t`).join(
    ' UNION ALL ',
  );
  const { rows } = await pool.query<{ row: string }>(`${all} ORDER BY 1`);
  return rows.map(({ row }) => row);
}

/** Has a worker look for abandoned holds now: it does so by itself every few seconds. Answers with the job's id. */
export function orderSweep(redisUrl: string): Promise<string> {
  const options = { attempts: 5, backoff: { type: 'policy' } };
  return withQueue(redisUrl, async (queue) => (await queue.add('sweep-holds', {}, options)).id ?? '');
}

export function isSweepDone(redisUrl: string, id: string): Promise<boolean> {
  return withQueue(redisUrl, async (queue) => (await queue.getJobState(id)) === 'completed');
}

async function withQueue<Answer>(redisUrl: string, use: (queue: Queue) => Promise<Answer>): Promise<Answer> {
  const queue = new Queue('farebox', { connection: { url: redisUrl } });
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}
