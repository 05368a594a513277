import { createSignInLink, toSignInUrl, type SignInLinkPurpose } from '@farebox/accounts';
import { withTransaction } from '@farebox/database';
import { toPublicId } from '@farebox/ids';
import { toMailFailure, type MailFailure, type Mailer } from '@farebox/mail';
import type { Logger } from '@farebox/observability';
import { claimMail, endMail, type ClaimedMail, type MailAccount, type MailOutcome } from '@farebox/mail';
import type { Pool } from 'pg';
import { decideMail } from './decide-mail';
import { logMail } from './log-mail';
import { writeMail } from './write-mail';

export interface SendMailParts {
  pool: Pool;
  /** Of connections that may wait for a mail server, one for each mail that is sent at once. */
  claims: Pool;
  /** Not set where there is no mail server. */
  mailer: Mailer | undefined;
  /** Origin of the links. */
  publicUrl: string;
  /** Development: links to sign in are written to the log as well. */
  showsLinks: boolean;
  log: Logger;
}

/** The mail server did not take a mail that it may take later. Its words are not here: they may hold the link. */
export class MailNotSentError extends Error {
  constructor({ reason, smtpStatus }: MailFailure) {
    super(`the mail was not sent: ${reason}${smtpStatus === undefined ? '' : ` ${String(smtpStatus)}`}`);
    this.name = 'MailNotSentError';
  }
}

/** Within the time that a stop of the worker waits. */
const SEND_TIMEOUT_MS = 20_000;

/** Of the transaction, which does nothing while the mail is sent. */
const LONGEST_PAUSE_MS = 2 * SEND_TIMEOUT_MS;

interface EndedMail {
  mail: ClaimedMail;
  outcome: MailOutcome;
  failure?: MailFailure;
}

/**
 * Sends a mail and notes what became of it. The mail's row is locked until that is committed, so that of two deliveries
 * at once one waits, and then finds nothing to do. Only where the worker dies, or the database is lost, between the mail
 * server's word and the commit, the mail is sent again, under the same Message-ID.
 * Throws `MailNotSentError` where it is to be tried again.
 */
export async function sendMail({ mailId }: { mailId: string }, parts: SendMailParts): Promise<void> {
  const ended = await withTransaction(parts.claims, async (client): Promise<EndedMail | undefined> => {
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${String(LONGEST_PAUSE_MS)}`);
    const mail = await claimMail(client, mailId);
    if (!mail) return undefined;
    const end = await deliver(mailId, mail, parts);
    await endMail(client, mailId, { outcome: end.outcome, accountId: mail.account?.id });
    return { mail, ...end };
  });
  if (ended) logMail(parts.log, mailId, ended);
}

async function deliver(
  mailId: string,
  mail: ClaimedMail,
  parts: SendMailParts,
): Promise<{ outcome: MailOutcome; failure?: MailFailure }> {
  const { mailer, showsLinks } = parts;
  const decision = decideMail(mail, { hasMailServer: mailer !== undefined, showsLinks });
  if (decision.step === 'end') return decision;
  const { account, isShown } = decision;
  const message = await writeMail(mail.kind, account, async (purpose) => {
    const link = await makeLink(account, purpose, parts);
    if (isShown) showLink(account, link, parts.log);
    return link;
  });
  if (!mailer) return { outcome: 'shown' };
  try {
    await mailer.send(message, { id: mailId, signal: AbortSignal.timeout(SEND_TIMEOUT_MS) });
    return { outcome: 'sent' };
  } catch (error) {
    const failure = toMailFailure(error);
    if (failure.isPermanent) return { outcome: 'refused', failure };
    throw new MailNotSentError(failure);
  }
}

/** Not in the transaction of the mail: the link of one that is sent works, whatever becomes of that. */
async function makeLink(
  { id }: MailAccount,
  purpose: SignInLinkPurpose,
  { pool, publicUrl }: SendMailParts,
): Promise<string> {
  const { token } = await createSignInLink(id, pool, purpose);
  return toSignInUrl(publicUrl, token);
}

function showLink({ id }: MailAccount, link: string, log: Logger): void {
  const fields = { event: 'sign_in_link', account_id: toPublicId('acct', id), sign_in_link: link };
  log.info(fields, 'a link to sign in');
}
