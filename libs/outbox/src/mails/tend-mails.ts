import type { Queryable } from '../post-to-outbox';

const BATCH = 1_000;
const SURELY_TRIED = '10 minutes';

/**
 * Posts mails again whose job may have been lost with its queue: those that were posted ten minutes ago and have not
 * ended. One that the queue still has is not added twice. Answers with their number, a thousand at most.
 */
export async function postMailsAgain(db: Queryable): Promise<number> {
  return countOf(db, 'SELECT mail_post_again($1::interval, $2) AS count', [SURELY_TRIED, BATCH]);
}

/** Deletes mails thirty days after their end, some at a time until there are none. Answers with their number. */
export async function forgetMails(db: Queryable): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const count = await countOf(db, 'SELECT mail_forget($1) AS count', [BATCH]);
    forgotten += count;
    if (count < BATCH) return forgotten;
  }
}

/**
 * Posts a mail for each account whose available balance is below its threshold, once until it is above again. Answers
 * with their number.
 */
export async function postLowBalanceMails(db: Queryable): Promise<number> {
  let posted = 0;
  for (;;) {
    const count = await countOf(db, 'SELECT mail_find_low_balances($1) AS count', [BATCH]);
    posted += count;
    if (count < BATCH) return posted;
  }
}

async function countOf(db: Queryable, sql: string, values: unknown[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(sql, values);
  return rows[0]?.count ?? 0;
}
