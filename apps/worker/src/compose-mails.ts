import { createMailer } from '@farebox/mail';
import type { WorkerConfig } from './config';
import type { SendMailParts } from './jobs/send-mail/send-mail';

/** The parts that send mails. Without a mail server it says so once, and then of each mail. */
export function composeMails(
  { publicUrl, mail, showsSignInLinks: showsLinks }: WorkerConfig,
  { pool, claims, log }: Pick<SendMailParts, 'pool' | 'claims' | 'log'>,
): SendMailParts {
  if (!mail && !showsLinks) {
    log.warn({ event: 'mail_not_configured' }, 'no mail can be sent: FAREBOX_MAIL_URL is not set');
  }
  const mailer = mail && createMailer(mail);
  return { pool, claims, mailer, publicUrl, showsLinks, log };
}
