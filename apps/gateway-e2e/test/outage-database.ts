import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Queue } from 'bullmq';
import type { BreakableDatabase, Trouble } from './breakable-database';

/** Connections of the services, including new ones that do not show their user yet. */
const OF_SERVICE = `backend_type = 'client backend' AND pid <> pg_backend_pid() AND (usename = $1 OR state = 'starting')`;
const POLL_MS = 20;

/** Refuses new gateway connections, and ends the existing ones. */
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

/**
 * Puts all earlier commits on the disk: holds and charges take effect before that, and a crash may lose them.
 */
export async function flushCommits(pool: pg.Pool): Promise<void> {
  await pool.query(`SELECT pg_logical_emit_message(true, 'test', '')`);
}

/** Refuses every insert into a table with an error code, like a server that cannot execute it. */
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

/** Blocks all movements of money until it ends. */
export function lockFunds(database: BreakableDatabase): Promise<Trouble> {
  return lock(database, 'SELECT 1 FROM account_funds ORDER BY account_id FOR UPDATE');
}

/** Blocks charges until it ends; holds are still placed. */
export function lockCharges(database: BreakableDatabase): Promise<Trouble> {
  return lock(database, 'LOCK TABLE usage_record IN SHARE MODE');
}

/** Blocks look-ups of API keys until it ends. */
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

/** The names of the clients' connections. */
export type Waiter = 'farebox-gateway' | 'farebox-ledger' | 'farebox-worker';

/** The server processes of a client that wait for a lock. */
export async function findWaiting(pool: pg.Pool, waiter: Waiter): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'`,
    [waiter],
  );
  return rows.map(({ pid }) => pid);
}

/** Every table with money. */
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

/** Every row with money, as text. */
export async function readMoneyRows(pool: pg.Pool): Promise<string[]> {
  const all = TABLES.map((table) => `SELECT '${table} ' || t::text AS row FROM ${table} t`).join(
    ' UNION ALL ',
  );
  const { rows } = await pool.query<{ row: string }>(`${all} ORDER BY 1`);
  return rows.map(({ row }) => row);
}

/**
 * Makes a worker look for abandoned holds now, which it does every few seconds anyway. Returns the job's id.
 */
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
