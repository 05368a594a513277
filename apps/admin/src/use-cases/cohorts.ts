import type { Cohort } from '@farebox/database';
import type { NanoUsd } from '@farebox/money';
import type { Pool, PoolClient } from 'pg';
import { CommandFailure } from '../command-failure';
import { noSuchAccount } from './accounts';

const COLUMNS = `name, daily_request_cap AS "dailyRequestCap", daily_spend_cap_nano AS "dailySpendCapNano"`;

/** All cohorts with the number of their accounts, by name. */
export async function listCohorts(db: Pick<Pool, 'query'>): Promise<(Cohort & { accounts: number })[]> {
  const { rows } = await db.query<Cohort & { accounts: number }>(
    `SELECT ${COLUMNS}, (SELECT count(*)::int FROM account WHERE cohort_name = name) AS accounts
     FROM cohort ORDER BY name`,
  );
  return rows;
}

/** Makes a cohort, or gives the one that is there other daily caps. Answers with the caps before, if it was there. */
export async function putCohort(
  client: PoolClient,
  {
    name,
    dailyRequestCap,
    dailySpendCapNano,
  }: { name: string; dailyRequestCap: number; dailySpendCapNano: NanoUsd },
): Promise<Cohort | undefined> {
  const { rows } = await client.query<Cohort>(
    `SELECT ${COLUMNS} FROM cohort WHERE name = $1 FOR NO KEY UPDATE`,
    [name],
  );
  await client.query(
    `INSERT INTO cohort (name, daily_request_cap, daily_spend_cap_nano) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET daily_request_cap = excluded.daily_request_cap,
       daily_spend_cap_nano = excluded.daily_spend_cap_nano`,
    [name, dailyRequestCap, dailySpendCapNano],
  );
  return rows[0];
}

/**
 * Puts an account into another cohort, whose daily caps and models it has from the next request on. `client` is that of
 * a transaction. Answers with the cohort before. Throws `CommandFailure`.
 */
export async function moveToCohort(client: PoolClient, accountId: string, cohort: string): Promise<string> {
  const { rows } = await client.query<{ cohort_name: string }>(
    'SELECT cohort_name FROM account WHERE id = $1 FOR NO KEY UPDATE',
    [accountId],
  );
  const [account] = rows;
  if (!account) throw noSuchAccount(accountId);
  const { rowCount } = await client.query(
    'UPDATE account SET cohort_name = c.name FROM cohort c WHERE account.id = $1 AND c.name = $2',
    [accountId, cohort],
  );
  if (rowCount !== 1) throw new CommandFailure(`There is no cohort "${cohort}": admin cohort set ${cohort}`);
  return account.cohort_name;
}
