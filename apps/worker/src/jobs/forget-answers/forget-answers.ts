import { forgetAnswers as forgetKeptAnswers } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

/** Deletes answers that were kept for repeated requests and have had their time. A second run finds nothing left. */
export async function forgetAnswers({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const count = await forgetKeptAnswers(pool);
  if (count > 0) log.info({ event: 'answers_forgotten', count }, 'deleted answers that have had their time');
}
