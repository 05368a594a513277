import type pg from 'pg';
import type { CalendarDay } from '../model/state';

const DATED = ['account_day', 'hold', 'billing_review', 'usage_record', 'abandoned_request'];
/** Every month has these days. */
const LAST_SAFE_DAY = 27;

interface Past {
  accountIds: readonly string[];
  /** The real day (UTC), `2026-11-21`. */
  date: string;
  /** The day that ends, as the model numbers it. */
  today: CalendarDay;
}

/**
 * Ends a day of an account. The clock stays where it is; what happened today becomes another day's instead. Which other
 * day does not matter to the rules, so it is one of the same month that is still free: the month goes on. Records that
 * refuse to be changed are changed all the same: their triggers are off for this transaction.
 */
export async function endDay(pool: pg.Pool, { accountIds, date, today }: Past): Promise<void> {
  const month = date.slice(0, 8);
  const free = Array.from({ length: LAST_SAFE_DAY }, (_, i) => month + String(i + 1).padStart(2, '0'));
  const otherDay = free.filter((day) => day !== date)[today.day];
  if (otherDay === undefined) throw new Error('a run has more days than a month');
  await moveAll(
    pool,
    DATED.map(
      (table) => `UPDATE ${table} SET day = '${otherDay}' WHERE ${of(accountIds)} AND day = '${date}'`,
    ),
  );
}

/** Ends a month of an account: what happened in it becomes an earlier month's that is still free. */
export async function endMonth(pool: pg.Pool, { accountIds, date, today }: Past): Promise<void> {
  const month = `${date.slice(0, 8)}01`;
  const back = `interval '${String(today.month + 1)} months'`;
  await moveAll(pool, [
    ...DATED.map(
      (table) => `UPDATE ${table} SET day = day - ${back} WHERE ${of(accountIds)} AND day >= '${month}'`,
    ),
    `UPDATE api_key_month SET month = month - ${back}
     WHERE api_key_id IN (SELECT id FROM api_key WHERE ${of(accountIds)}) AND month = '${month}'`,
  ]);
}

function of(accountIds: readonly string[]): string {
  return `account_id = ANY ('{${accountIds.join(',')}}')`;
}

/** Several statements in one query are one transaction. */
async function moveAll(pool: pg.Pool, statements: string[]): Promise<void> {
  await pool.query(
    [`SELECT set_config('session_replication_role', 'replica', true)`, ...statements].join(';\n'),
  );
}
