import type pg from 'pg';
import type { Queryable } from '@farebox/database';

/** More days than a first run may find; a bound against a loop without end. */
const MOST_STEPS = 10_000;

/**
 * Sums the usage of hours that are closed and not summed yet, a day at a time. Answers how many steps it took: none
 * if there is nothing to do, or if a charge of the last hour may still be under way.
 */
export async function sumClosedUsage(pool: Queryable): Promise<number> {
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const { rows } = await pool.query<{ summed: boolean }>('SELECT ledger_sum_usage() AS summed');
    if (rows[0]?.summed !== true) return steps;
  }
  return MOST_STEPS;
}

/**
 * SQL: every hour before this time has been summed, and is in the sum of its day. It only moves on, and is read in the
 * statement that relies on it.
 */
export const SUMMED_BEFORE = '(SELECT summed_before FROM usage_sum_state)';

/** Whether an account has ever been charged for a request of a model. */
export async function hasUsedModel(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  modelId: string,
): Promise<boolean> {
  const { rows } = await pool.query<{ used: boolean }>({
    name: 'has_used_model',
    text: `SELECT EXISTS (SELECT FROM usage_sum WHERE account_id = $1 AND grain = 'hour_model'
                      AND api_key_id = '${ANY_KEY}' AND model_id = $2)
         OR EXISTS (SELECT FROM usage_hour WHERE account_id = $1 AND model_id = $2 AND hour >= ${SUMMED_BEFORE}) AS used`,
    values: [accountId, modelId],
  });
  return rows[0]?.used === true;
}

/** What `usage_sum` has for the key in a row that is about all keys of an account. */
export const ANY_KEY = '00000000-0000-0000-0000-000000000000';

/** A half-open range of time: from `from` on, until before `to`. Both are beginnings of a UTC hour. */
export interface HourRange {
  from: Date;
  to: Date;
}

/** The beginning of the UTC hour or day that a time is in. */
export function floorTo(unitMs: number, time: Date): Date {
  return new Date(Math.floor(time.getTime() / unitMs) * unitMs);
}

/** The next beginning of a UTC hour or day; the time itself if it is one. */
export function ceilTo(unitMs: number, time: Date): Date {
  return new Date(Math.ceil(time.getTime() / unitMs) * unitMs);
}
