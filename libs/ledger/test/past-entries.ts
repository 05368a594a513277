import { givenAccount, type TestDatabase } from '@farebox/testing';
import { dayAgo } from './usage-history';

/** The UTC day this many days ago. */
export function pastDay(days: number): string {
  return dayAgo(days).toISOString().slice(0, 'yyyy-mm-dd'.length);
}

/**
 * Accounts with this many entries on each day, the first list being that of the oldest day: a top-up, and then
 * charges. Today begins after the last day. Returns the ids of the accounts, in their order.
 */
export async function givenPastEntries(
  db: TestDatabase,
  counts: readonly (readonly number[])[],
): Promise<string[]> {
  const accounts: string[] = [];
  while (accounts.length < (counts[0]?.length ?? 0)) accounts.push(await givenAccount(db.pool));
  for (const [i, ofDay] of counts.entries()) {
    const day = dayAgo(counts.length - i);
    for (const [j, count] of ofDay.entries()) await appendEntries(db, accounts[j] ?? '', count, day);
  }
  await endDays(db, dayAgo(0));
  return accounts;
}

/** Nothing is recorded before this time any more, as after the worker has summed the usage. */
export async function endDays(db: TestDatabase, before: Date): Promise<void> {
  await db.pool.query(
    'UPDATE usage_sum_state SET summed_before = $1, closing_before = greatest(closing_before, $1)',
    [before],
  );
}

async function appendEntries(db: TestDatabase, accountId: string, count: number, day: Date): Promise<void> {
  await db.pool.query(
    `DO $$ DECLARE v_first boolean := (SELECT last_seq = 0 FROM account_funds WHERE account_id = '${accountId}');
     BEGIN
       FOR i IN 1..${String(count)} LOOP
         IF v_first AND i = 1 THEN
           PERFORM ledger_append(uuidv7(), '${accountId}', 'top_up', 'funding', 'customer', 1000000, NULL,
                                 '${day.toISOString()}');
         ELSE
           PERFORM ledger_append(uuidv7(), '${accountId}', 'charge', 'customer', 'revenue', i, NULL,
                                 '${day.toISOString()}'::timestamptz + i * interval '1 second');
         END IF;
       END LOOP;
     END $$`,
  );
}
