import { issueInvoices as issueInvoicesOf, listOpenMonths } from '@farebox/billing';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

/**
 * Makes the invoices of closed months that are not made yet; those of accounts with requests under way wait for the next
 * run. Of two runs at once the second waits, and finds nothing left. `longWork`: a month is one statement.
 */
export async function issueInvoices({ longWork, log }: { longWork: Pool; log: Logger }): Promise<void> {
  for (const month of await listOpenMonths(longWork)) {
    const { issued, postponed } = await issueInvoicesOf(longWork, month);
    if (issued + postponed === 0) continue;
    const fields = { event: 'invoices_issued', month: month.slice(0, 7), count: issued, postponed };
    log.info(fields, 'made the invoices of a month');
  }
}
