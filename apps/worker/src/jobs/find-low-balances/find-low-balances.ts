import type { Logger } from '@farebox/observability';
import { postLowBalanceMails } from '@farebox/mail';
import type { Pool } from 'pg';

/** Posts mails to those whose balance is below their threshold. A second run finds that they are posted. */
export async function findLowBalances({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const count = await postLowBalanceMails(pool);
  if (count > 0) log.info({ event: 'low_balances_found', count }, 'posted mails about low balances');
}
