import { toPublicId } from '@farebox/ids';
import { checkBooks as checkAllBooks, type Difference } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

/** A table that was changed by hand differs in thousands of rows: some of them tell what happened. */
const MOST_LOGGED = 20;

/**
 * Compares every balance and counter with what it was made of, and cries out where they differ. What it found stands in
 * `ledger_check`, for metrics and the operator. Of two runs at once the second does nothing.
 */
export async function checkBooks({ longWork, log }: { longWork: Pool; log: Logger }): Promise<void> {
  const startedMs = performance.now();
  const verification = await checkAllBooks(longWork);
  if (!verification) return;
  const { ok, differences } = verification;
  const duration_ms = Math.round(performance.now() - startedMs);
  if (ok) {
    log.debug({ event: 'books_checked', duration_ms }, 'the books are right');
    return;
  }
  log.error({ event: 'books_differ', count: differences.length, duration_ms }, 'the books differ');
  for (const difference of differences.slice(0, MOST_LOGGED)) logDifference(log, difference);
}

function logDifference(log: Logger, { check, accountId, detail }: Difference): void {
  const account_id = accountId === null ? null : toPublicId('acct', accountId);
  log.error({ event: 'books_difference', check, account_id, difference: detail }, 'the books differ here');
}
