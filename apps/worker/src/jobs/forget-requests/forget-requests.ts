import { forgetRequests as forgetOldRequests } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

export interface ForgetRequestsParts {
  pool: Pool;
  log: Logger;
  /** Months that are kept before the one under way. Not set: all of them, for ever. */
  months: number | undefined;
}

/** Deletes request records that have had their time. A second run finds nothing left. */
export async function forgetRequests({ pool, log, months }: ForgetRequestsParts): Promise<void> {
  if (months === undefined) return;
  const count = await forgetOldRequests(pool, { months });
  if (count > 0)
    log.info({ event: 'requests_forgotten', count }, 'deleted request records that have had their time');
}
