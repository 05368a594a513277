import { makePartitions as makeMissing } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

/** Makes the partitions of this month and the next ones. A second run finds none missing. */
export async function makePartitions({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  for (const partition of await makeMissing(pool))
    log.info({ event: 'partition_made', partition }, 'made a partition for a month ahead');
}
