import type pg from 'pg';

/**
 * Works on a connection that holds an advisory lock meanwhile, so that one process does it at a time. Returns undefined if
 * another one is at it.
 */
export async function oneAtATime<Result>(
  pool: pg.Pool,
  lock: number,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result | undefined> {
  const client = await pool.connect();
  let failure: Error | boolean = true;
  try {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      lock,
    ]);
    const result = rows[0]?.taken === true ? await work(client) : undefined;
    await client.query('SELECT pg_advisory_unlock_all()');
    failure = false;
    return result;
  } finally {
    // A connection that cannot release the lock is closed, which releases it.
    client.release(failure);
  }
}
