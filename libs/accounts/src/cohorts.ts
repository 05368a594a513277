import type { NanoUsd } from '@farebox/money';
import { lockColumn } from './accounts';
import type { Queryable } from './open-accounts';

/** What an account may do in a UTC day. */
interface DailyCaps {
  dailyRequestCap: number;
  dailySpendCapNano: bigint;
}

/** A group of accounts: their daily caps, and who sees which model. */
export interface Cohort extends DailyCaps {
  name: string;
}

const COLUMNS = `name, daily_request_cap AS "dailyRequestCap", daily_spend_cap_nano AS "dailySpendCapNano"`;

/** All cohorts with the number of their accounts, by name. */
export async function listCohorts(db: Queryable): Promise<(Cohort & { accounts: number })[]> {
  const { rows } = await db.query<Cohort & { accounts: number }>(
    `SELECT ${COLUMNS}, (SELECT count(*)::int FROM account WHERE cohort_name = name) AS accounts
     FROM cohort ORDER BY name`,
  );
  return rows;
}

/**
 * Makes a cohort, or gives the one that is there other daily caps. To be called in a transaction. Answers with the
 * cohort before, if it was there.
 */
export async function putCohort(
  db: Queryable,
  { name, dailyRequestCap, dailySpendCapNano }: Cohort,
): Promise<Cohort | undefined> {
  const { rows } = await db.query<Cohort>(`SELECT ${COLUMNS} FROM cohort WHERE name = $1 FOR NO KEY UPDATE`, [
    name,
  ]);
  await db.query(
    `INSERT INTO cohort (name, daily_request_cap, daily_spend_cap_nano) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET daily_request_cap = excluded.daily_request_cap,
       daily_spend_cap_nano = excluded.daily_spend_cap_nano`,
    [name, dailyRequestCap, dailySpendCapNano],
  );
  return rows[0];
}

/**
 * Puts an account into another cohort, whose daily caps and models it has from the next request on. To be called in a
 * transaction. `moved` is false if there is no such cohort: nothing changed. Answers with the cohort before;
 * `undefined` if there is no such account.
 */
export async function moveToCohort(
  accountId: string,
  db: Queryable,
  cohort: string,
): Promise<{ before: string; moved: boolean } | undefined> {
  const before = await lockColumn(accountId, db, 'cohort_name');
  if (before === undefined) return undefined;
  const { rowCount } = await db.query(
    'UPDATE account SET cohort_name = c.name FROM cohort c WHERE account.id = $1 AND c.name = $2',
    [accountId, cohort],
  );
  return { before, moved: rowCount === 1 };
}

/** An account's own daily caps, null if it has none, and those of its cohort. */
export interface AccountCaps {
  dailyRequestCap: number | null;
  dailySpendCapNano: bigint | null;
  cohort: DailyCaps;
}

/** What counts: an account's own cap, else its cohort's. */
export function capsInForce({ cohort, ...own }: AccountCaps): DailyCaps {
  return {
    dailyRequestCap: own.dailyRequestCap ?? cohort.dailyRequestCap,
    dailySpendCapNano: own.dailySpendCapNano ?? cohort.dailySpendCapNano,
  };
}

/**
 * Sets those of an account's own caps that are given; null gives it its cohort's again. To be called in a transaction.
 * Answers `undefined` if there is no such account.
 */
export async function changeCaps(
  accountId: string,
  db: Queryable,
  given: { dailyRequestCap?: number | null; dailySpendCapNano?: NanoUsd | null },
): Promise<{ before: AccountCaps; after: AccountCaps } | undefined> {
  const before = await lockCaps(accountId, db);
  if (!before) return undefined;
  const after = { ...before, ...given };
  await db.query('UPDATE account SET daily_request_cap = $2, daily_spend_cap_nano = $3 WHERE id = $1', [
    ...[accountId, after.dailyRequestCap, after.dailySpendCapNano],
  ]);
  return { before, after };
}

async function lockCaps(accountId: string, db: Queryable): Promise<AccountCaps | undefined> {
  const { rows } = await db.query<Omit<AccountCaps, 'cohort'> & { ofCohort: number; ofCohortNano: bigint }>(
    `SELECT a.daily_request_cap AS "dailyRequestCap", a.daily_spend_cap_nano AS "dailySpendCapNano",
            c.daily_request_cap AS "ofCohort", c.daily_spend_cap_nano AS "ofCohortNano"
     FROM account a JOIN cohort c ON c.name = a.cohort_name
     WHERE a.id = $1 FOR NO KEY UPDATE OF a`,
    [accountId],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { ofCohort, ofCohortNano, ...own } = row;
  return { ...own, cohort: { dailyRequestCap: ofCohort, dailySpendCapNano: ofCohortNano } };
}
