import { toPublicId } from '@farebox/ids';
import type { MailFailure } from '@farebox/mail';
import type { Logger } from '@farebox/observability';
import type { ClaimedMail, MailOutcome } from '@farebox/mail';

const MESSAGES: Record<
  Exclude<MailOutcome, 'not_wanted'>,
  { level: 'info' | 'warn' | 'error'; text: string }
> = {
  sent: { level: 'info', text: 'a mail was sent' },
  shown: { level: 'info', text: 'a mail was shown in the log' },
  refused: { level: 'error', text: 'a mail was not sent: the mail server does not take it' },
  expired: { level: 'warn', text: 'a mail was not sent: its time is over' },
  no_mail_server: { level: 'warn', text: 'a mail was not sent: FAREBOX_MAIL_URL is not set' },
};

/**
 * A mail's fate for the log: not its text, not its recipient, and none of the mail server's words. What nobody is to be
 * told, such as a stranger's wish for a link, is not logged either.
 */
export function logMail(
  log: Logger,
  mailId: string,
  { mail, outcome, failure }: { mail: ClaimedMail; outcome: MailOutcome; failure?: MailFailure },
): void {
  if (outcome === 'not_wanted') return;
  const { level, text } = MESSAGES[outcome];
  const fields = {
    event: 'mail',
    job_id: mailId,
    mail_kind: mail.kind,
    account_id: mail.account && toPublicId('acct', mail.account.id),
    outcome,
    reason: failure?.reason,
    status: failure?.smtpStatus,
  };
  log[level](fields, text);
}
