import { sweepAbandonedHolds } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

/** Releases the holds of gateways that are gone. A second run finds nothing left to do. */
export async function sweepHolds({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const count = await sweepAbandonedHolds(pool);
  if (count > 0) log.warn({ event: 'holds_swept', count }, 'released holds of gateways that are gone');
}
