import type { Account, Cohort } from '@farebox/database';
import type { PoolClient } from 'pg';
import { noSuchAccount } from './accounts';

type Caps = 'dailyRequestCap' | 'dailySpendCapNano';

/** An account's own daily caps, null where it has none, and those of its cohort. */
export type AccountCaps = Pick<Account, Caps> & { cohort: Pick<Cohort, Caps> };

/**
 * Sets those of an account's own caps that are given; null gives it its cohort's again. `client` is that of a
 * transaction. Throws `CommandFailure`.
 */
export async function changeCaps(
  client: PoolClient,
  accountId: string,
  given: Partial<Pick<Account, Caps>>,
): Promise<{ before: AccountCaps; after: AccountCaps }> {
  const before = await lockCaps(client, accountId);
  const after = { ...before, ...given };
  await client.query('UPDATE account SET daily_request_cap = $2, daily_spend_cap_nano = $3 WHERE id = $1', [
    accountId,
    after.dailyRequestCap,
    after.dailySpendCapNano,
  ]);
  return { before, after };
}

async function lockCaps(client: PoolClient, accountId: string): Promise<AccountCaps> {
  const { rows } = await client.query<Pick<Account, Caps> & { of_cohort: number; of_cohort_nano: bigint }>(
    `SELECT a.daily_request_cap AS "dailyRequestCap", a.daily_spend_cap_nano AS "dailySpendCapNano",
            c.daily_request_cap AS of_cohort, c.daily_spend_cap_nano AS of_cohort_nano
     FROM account a JOIN cohort c ON c.name = a.cohort_name
     WHERE a.id = $1 FOR NO KEY UPDATE OF a`,
    [accountId],
  );
  const [row] = rows;
  if (!row) throw noSuchAccount(accountId);
  const { of_cohort, of_cohort_nano, ...own } = row;
  return { ...own, cohort: { dailyRequestCap: of_cohort, dailySpendCapNano: of_cohort_nano } };
}
