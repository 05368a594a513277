import type { Logger } from '@farebox/observability';
import { forgetMails, postMailsAgain } from '@farebox/mail';
import type { Pool } from 'pg';

/** Posts mails again that have not ended, as their jobs may be lost, and deletes what became of old ones. */
export async function tendMails({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const again = await postMailsAgain(pool);
  if (again > 0) log.warn({ event: 'mails_waiting', count: again }, 'mails wait for long: posted them again');
  const count = await forgetMails(pool);
  if (count > 0) log.info({ event: 'mails_forgotten', count }, 'deleted mails that ended long ago');
}
