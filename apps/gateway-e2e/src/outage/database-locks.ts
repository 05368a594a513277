import type pg from 'pg';

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
