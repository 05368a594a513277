import { sumClosedUsage } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

/**
 * Sums the usage of hours that are over, for the account service to read. A second run finds nothing left to do;
 * without a run nothing is wrong, only slower to read.
 */
export async function sumUsage({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const steps = await sumClosedUsage(pool);
  if (steps > 0) log.info({ event: 'usage_summed', count: steps }, 'summed the usage of hours that are over');
}
