import type pg from 'pg';
import type { CalendarDay } from '../model/state';

const DATED = ['account_day', 'hold', 'billing_review', 'usage_record', 'abandoned_request'];
/** Every month has these days. */
const LAST_SAFE_DAY = 27;

interface Past {
  accountIds: readonly string[];
  /** The real day (UTC), `2026-11-21`. */
  date: string;
  /** The day that ends, in the model's numbering. */
  today: CalendarDay;
}

/**
 * Ends a day of an account. The clock is unchanged: today's records move to another day. The rules do not
 * depend on which, so it is a free day of the same month, and the month continues. Immutable records are
 * changed too: their triggers are disabled in this transaction.
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

/** Ends a month of an account: its records move to a free earlier month. */
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
