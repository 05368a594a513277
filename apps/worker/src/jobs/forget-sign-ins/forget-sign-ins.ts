import { purgeSignIns as forgetEndedSignIns } from '@farebox/accounts';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

/** Deletes links to sign in, throttles and sessions that nobody can use any more. A second run finds nothing left. */
export async function purgeSignIns({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const count = await forgetEndedSignIns(pool);
  if (count > 0)
    log.info({ event: 'sign_ins_forgotten', count }, 'deleted sign-ins that have had their time');
}
