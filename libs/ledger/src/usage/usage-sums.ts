import type pg from 'pg';
import type { Queryable } from '@farebox/database';

/** A safety limit for the loop, above the number of days of any first run. */
const MOST_STEPS = 10_000;

/**
 * Sums the usage of completed hours that are not summed yet, one day at a time. Returns the number of steps:
 * 0 if there is nothing to do, or if a charge of the last hour may still be running.
 */
export async function sumClosedUsage(pool: Queryable): Promise<number> {
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const { rows } = await pool.query<{ summed: boolean }>('SELECT ledger_sum_usage() AS summed');
    if (rows[0]?.summed !== true) return steps;
  }
  return MOST_STEPS;
}

/**
 * SQL: every hour before this time has been summed, and is in the sum of its day. The time only advances, and
 * is read in the statement that relies on it.
 */
export const SUMMED_BEFORE = '(SELECT summed_before FROM usage_sum_state)';

/** Whether an account was ever charged for a model. */
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

/** Key id of a `usage_sum` row for all keys of an account. */
export const ANY_KEY = '00000000-0000-0000-0000-000000000000';

/** A half-open range of time: from `from` until before `to`, both beginnings of a UTC hour. */
export interface HourRange {
  from: Date;
  to: Date;
}

/** The beginning of the UTC hour or day that contains a time. */
export function floorTo(unitMs: number, time: Date): Date {
  return new Date(Math.floor(time.getTime() / unitMs) * unitMs);
}

/** The next beginning of a UTC hour or day, or the time itself if it is one. */
export function ceilTo(unitMs: number, time: Date): Date {
  return new Date(Math.ceil(time.getTime() / unitMs) * unitMs);
}
