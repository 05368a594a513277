import pg from 'pg';
import { Queue } from 'bullmq';
import type { BreakableDatabase } from './breakable-database';

/** Something that is wrong with the database until it is ended. */
export interface Trouble {
  end(): Promise<unknown>;
}

const TOO_MANY_CONNECTIONS = '53300';

/** Takes every connection that services can get, those that they have as well. */
export async function occupyConnections({ pool, serviceUrl }: BreakableDatabase): Promise<Trouble> {
  const taken: pg.Client[] = [];
  const takeAll = async (): Promise<void> => {
    for (;;) {
      const client = new pg.Client({ connectionString: serviceUrl, application_name: 'occupier' });
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch (error) {
        if (error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS) return;
        throw error;
      }
      taken.push(client);
    }
  };
  const endOthers = async (): Promise<number> => {
    const { rowCount } = await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name IN ('farebox-gateway', 'farebox-ledger')`,
    );
    return rowCount ?? 0;
  };
  do await takeAll();
  while ((await endOthers()) > 0);
  return { end: () => Promise.all(taken.map((client) => client.end())) };
}

/** Every row that is inserted into a table is refused with an error code: as by a server that cannot do it. */
export async function refuseWrites(
  pool: pg.Pool,
  { table, code, times }: { table: string; code: string; times?: number },
): Promise<Trouble> {
  const name = `refuse_${table}`;
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
  return {
    end: () => pool.query(`DROP FUNCTION ${name}() CASCADE; DROP SEQUENCE ${name}`),
  };
}

/** Something that others have to wait for. */
export interface HeldLock {
  release(): Promise<void>;
}

/** Nobody moves money until it is released. */
export function lockFunds(pool: pg.Pool): Promise<HeldLock> {
  return lock(pool, 'SELECT 1 FROM account_funds ORDER BY account_id FOR UPDATE');
}

/** Nothing is charged until it is released; holds are placed as ever. */
export function lockCharges(pool: pg.Pool): Promise<HeldLock> {
  return lock(pool, 'LOCK TABLE usage_record IN SHARE MODE');
}

/** Nobody looks an API key up until it is released. */
export function lockKeys(pool: pg.Pool): Promise<HeldLock> {
  return lock(pool, 'LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE');
}

async function lock(pool: pg.Pool, sql: string): Promise<HeldLock> {
  const client = await pool.connect();
  await client.query(`BEGIN; ${sql}`);
  return {
    async release() {
      await client.query('ROLLBACK');
      client.release();
    },
  };
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
