import { toPublicId } from '@farebox/ids';
import { checkBooks as goOnWithCheck, type Difference } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

/** A table that was changed by hand differs in thousands of rows: some of them tell what happened. */
const MOST_LOGGED = 20;

/**
 * Compares balances and counters with what they were made of, a bounded number of them in each run, and cries out if they
 * differ. How far it came and what it found stands in `ledger_check_round` and `ledger_check`, for the next run, metrics and
 * the operator. Of two runs at once the second does nothing.
 */
export async function checkBooks({ longWork, log }: { longWork: Pool; log: Logger }): Promise<void> {
  const startedMs = performance.now();
  const result = await goOnWithCheck(longWork);
  if (!result || result.rounds.length === 0) return;
  const { differences } = result;
  const duration_ms = Math.round(performance.now() - startedMs);
  if (differences.length === 0) {
    log.debug({ event: 'books_checked', duration_ms }, 'what was read of the books is right');
    return;
  }
  log.error({ event: 'books_differ', count: differences.length, duration_ms }, 'the books differ');
  for (const difference of differences.slice(0, MOST_LOGGED)) logDifference(log, difference);
}

function logDifference(log: Logger, { check, accountId, detail }: Difference): void {
  const account_id = accountId === null ? null : toPublicId('acct', accountId);
  log.error({ event: 'books_difference', check, account_id, difference: detail }, 'the books differ here');
}
