import type { Queryable } from './open-accounts';

const FORGET_BATCH = 1_000;

/**
 * Deletes links, throttles and sessions that nobody can use any more, of each some at a time until there are none.
 * Answers with their number.
 */
export async function forgetSignIns(pool: Queryable): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const { rows } = await pool.query<{ count: number }>('SELECT sign_in_forget($1) AS count', [
      FORGET_BATCH,
    ]);
    const count = rows[0]?.count ?? 0;
    forgotten += count;
    if (count < FORGET_BATCH) return forgotten;
  }
}
