import type { ForgottenUsage } from '@farebox/config';
import { forgetRequests as forgetOldRequests, noteForgotten, retirePartitions } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

export interface ForgetRequestsParts {
  pool: Pool;
  log: Logger;
  /** Months that are kept before the one under way. Not set: all of them, for ever. */
  months: number | undefined;
  /** What becomes of the records after that. */
  forgotten: ForgottenUsage;
}

/**
 * Deletes request records that have had their time, or detaches their partitions: whole ones then, so that nothing is missing
 * from an archive. A second run finds nothing left.
 */
export async function forgetRequests({ pool, log, months, forgotten }: ForgetRequestsParts): Promise<void> {
  if (months === undefined) return;
  await noteForgotten(pool, { months });
  for (const partition of await retirePartitions(pool, { archive: forgotten === 'detach' }))
    log.info(
      { event: 'partition_retired', partition, outcome: forgotten },
      'took away a partition of request records that have had their time',
    );
  if (forgotten === 'detach') return;
  const count = await forgetOldRequests(pool, { months });
  if (count > 0)
    log.info({ event: 'requests_forgotten', count }, 'deleted request records that have had their time');
}
