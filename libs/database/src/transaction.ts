import type { Pool, PoolClient } from 'pg';
import { isConflict } from './database-errors';

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 5;

/**
 * Runs `work` in one transaction and commits it. Any error rolls back and is thrown.
 *
 * A deadlock or a serialization failure is tried again, three times, after a short random pause: `work` must have no
 * effect outside of the transaction. A lost connection is not tried again, as the commit may have happened.
 */
export async function withTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(pool, work);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isConflict(error)) throw error;
      await pause(Math.random() * FIRST_PAUSE_MS * 2 ** attempt);
    }
  }
}

async function runOnce<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    const { command } = await client.query('COMMIT');
    // PostgreSQL answers COMMIT with ROLLBACK, and no error, where a statement had failed and `work` hid it.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back by the server');
    return result;
  } catch (error) {
    broken = await rollBack(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** The error that makes the connection unusable, if any. */
async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error('rollback failed', { cause: error });
  }
}

/** So that one call is not without end: what is left is for the next one. */
const MOST_PIECES = 500;

/**
 * Asks again and again for a piece of work, until a piece is smaller than `size`, its first parameter. The statement answers
 * one number, `count`. Answers their sum. Each piece is a transaction of its own, so that none holds locks for long.
 */
export async function inPieces(
  db: Pick<Pool, 'query'>,
  sql: string,
  size: number,
  ...values: unknown[]
): Promise<number> {
  let done = 0;
  for (let pieces = 0; pieces < MOST_PIECES; pieces++) {
    const { rows } = await db.query<{ count: number }>(sql, [size, ...values]);
    const count = rows[0]?.count ?? 0;
    done += count;
    if (count < size) break;
  }
  return done;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
