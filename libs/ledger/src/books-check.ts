import type pg from 'pg';
import { takeCheckpoint, verifyLedger, type Verification } from './verify';

/** How long after all of the books were read they are read again; in between, a check reads on from the checkpoint. */
const WHOLE_EVERY = '24 hours';

/** Held while a check runs, so that there is one at a time. Any number that nobody else takes. */
const CHECK_LOCK = 4_207_611;

/**
 * Checks the books as a worker does by itself, and notes what it found: from the last checkpoint on, once a day whole.
 * Books that are right leave a checkpoint; of others nothing is noted but the number of differences, and the next check
 * finds them again. Answers undefined where another check is under way.
 *
 * Takes two connections of the pool, whose statements may be long; they should end with their client.
 */
export async function checkBooks(pool: pg.Pool): Promise<Verification | undefined> {
  const lock = await pool.connect();
  try {
    const { rows } = await lock.query<{ taken: boolean; whole: boolean }>(
      `SELECT pg_try_advisory_lock($1) AS taken,
              NOT EXISTS (SELECT FROM ledger_checkpoint
                          WHERE read_whole_at > clock_timestamp() - $2::interval) AS whole`,
      [CHECK_LOCK, WHOLE_EVERY],
    );
    const [state] = rows;
    if (state?.taken !== true) return undefined;
    const verification = await verifyLedger(pool, { sinceCheckpoint: !state.whole });
    if (verification.ok) await takeCheckpoint(pool, verification);
    await pool.query('SELECT ledger_note_check($1)', [verification.differences.length]);
    return verification;
  } finally {
    await releaseLock(lock);
  }
}

/** A connection that cannot say that it gives the lock up is closed, and the lock goes with it. */
async function releaseLock(lock: pg.PoolClient): Promise<void> {
  try {
    await lock.query('SELECT pg_advisory_unlock_all()');
    lock.release();
  } catch (error) {
    lock.release(error instanceof Error ? error : true);
  }
}

/** What the last check of the books found, of whatever worker. */
export interface LastCheck {
  checkedAt: Date;
  /** 0 where the books were right. A check names some of each kind, and no more. */
  differences: number;
}

/** Undefined where the books were never checked. */
export async function readLastCheck(pool: Pick<pg.Pool, 'query'>): Promise<LastCheck | undefined> {
  const { rows } = await pool.query<LastCheck>(
    'SELECT checked_at AS "checkedAt", differences FROM ledger_check WHERE id = 1',
  );
  return rows[0];
}
