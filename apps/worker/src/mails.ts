import {
  createSignInLink,
  LINK_LIFETIME_MS,
  nameBrowser,
  toSignInUrl,
  type SignInLinkPurpose,
} from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { withTransaction } from '@farebox/database';
import { DAY_MS, MINUTE_MS } from '@farebox/flow';
import {
  claimMail,
  endMail,
  holdMail,
  postLowBalanceMails,
  postMailsAgain,
  purgeMails,
  toMailFailure,
  writeCredentialMail,
  writeInviteMail,
  writeLowBalanceMail,
  writeOperatorMail,
  writeSignInMail,
  writeTopUpOffMail,
  writeWebhookDisabledMail,
  type ClaimedMail,
  type MailAccount,
  type MailBrand,
  type Mailer,
  type MailFailure,
  type MailKind,
  type MailMessage,
  type MailOutcome,
} from '@farebox/mail';
import type { Logger } from '@farebox/observability';
import { makeMailedOperatorLink, OPERATOR_LINK_LIFETIME_MS, toOperatorLinkUrl } from '@farebox/operators';
import type { Pool } from 'pg';

export interface SendMailParts {
  pool: Pool;
  /** Connections that may wait for a mail server, one for each concurrent mail. */
  claims: Pool;
  /** Not set if there is no mail server. */
  mailer: Mailer | undefined;
  /** The origin of links. */
  publicUrl: string;
  /** That of links of operators. */
  operatorUrl: string;
  brand: MailBrand;
  /** For development: sign-in links are also written to the log. */
  showsLinks: boolean;
  log: Logger;
}

/** The mail server deferred a mail. Its words are left out, since they may contain the link. */
class MailNotSentError extends Error {
  constructor({ reason, smtpStatus }: MailFailure) {
    super(`the mail was not sent: ${reason}${smtpStatus === undefined ? '' : ` ${String(smtpStatus)}`}`);
    this.name = 'MailNotSentError';
  }
}

/** Less than the time that a stopping worker waits. */
const SEND_TIMEOUT_MS = 20_000;

/** Idle limit of the transaction, which does nothing while the mail is sent. */
const LONGEST_PAUSE_MS = 2 * SEND_TIMEOUT_MS;

interface EndedMail {
  mail: ClaimedMail;
  outcome: MailOutcome;
  failure?: MailFailure;
}

/**
 * Sends a mail and records its outcome. The mail is claimed until that is committed, so that a concurrent
 * delivery waits and then finds nothing to do. Only if the worker dies, or the database is lost, between the
 * mail server's reply and the commit, is the mail sent again, under the same Message-ID. Throws
 * `MailNotSentError` if it should be retried.
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
  const message = await writeFor(mailId, mail, decision, parts);
  if (!message) return { outcome: 'not_wanted' };
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

/** The mail to send; undefined if its link was not made. Shows the link in the log, in development. */
async function writeFor(
  mailId: string,
  mail: ClaimedMail,
  { account, isShown }: Extract<MailDecision, { step: 'deliver' }>,
  parts: SendMailParts,
): Promise<MailMessage | undefined> {
  if (account === undefined) {
    const token = await makeMailedOperatorLink(parts.pool, mailId);
    if (token === undefined || mail.operatorAddress === undefined) return undefined;
    const link = toOperatorLinkUrl(parts.operatorUrl, token);
    if (isShown)
      parts.log.info({ event: 'operator_link', sign_in_link: link }, 'a link to sign in an operator');
    const minutes = OPERATOR_LINK_LIFETIME_MS / MINUTE_MS;
    return writeOperatorMail({ to: mail.operatorAddress, link, minutes }, parts.brand);
  }
  const { browserSha256 } = mail;
  return writeMail(mail, account, parts, async (purpose) => {
    const made = await makeLink({ mailId, account, purpose, browserSha256 }, parts);
    if (made && isShown) showLink(account, made.link, parts.log);
    return made;
  });
}

/**
 * Not in the transaction that sends the mail: the link of a sent mail must work even if that rolls back.
 * Returns nothing if the mail was ended meanwhile, as signing out everywhere does.
 */
async function makeLink(
  { mailId, account, purpose, browserSha256 }: WantedLink,
  { pool, publicUrl }: SendMailParts,
): Promise<MadeLink | undefined> {
  return withTransaction(pool, async (client) => {
    if (!(await holdMail(client, mailId))) return undefined;
    const { token, code } = await createSignInLink(account.id, client, purpose, browserSha256);
    return { link: toSignInUrl(publicUrl, token), code };
  });
}

interface WantedLink {
  mailId: string;
  account: MailAccount;
  purpose: SignInLinkPurpose;
  browserSha256: Buffer | undefined;
}

interface MadeLink {
  link: string;
  code: string | undefined;
}

function showLink({ id }: MailAccount, link: string, log: Logger): void {
  const fields = { event: 'sign_in_link', account_id: toPublicId('acct', id), sign_in_link: link };
  log.info(fields, 'a link to sign in');
}

/** After this time a mail is pointless. A sign-in link is not delayed longer than it would be valid. */
export const LONGEST_WAIT_MS: Readonly<Record<MailKind, number>> = {
  sign_in: 15 * MINUTE_MS,
  invite: 3 * DAY_MS,
  low_balance: DAY_MS,
  top_up_off: 3 * DAY_MS,
  webhook_disabled: 3 * DAY_MS,
  new_browser: DAY_MS,
  new_api_key: DAY_MS,
  new_device: DAY_MS,
};

/** Page of the console. */
const SECURITY_PAGE = '/security';
/** Page of the console. */
const BILLING_PAGE = '/billing';
const ADD_FUNDS_PAGE = `${BILLING_PAGE}?add=true`;
/** Page of the console. */
const WEBHOOKS_PAGE = '/webhooks';

interface MailWays {
  hasMailServer: boolean;
  /** For development: sign-in links are written to the log. */
  showsLinks: boolean;
}

type MailDecision =
  | { step: 'end'; outcome: Extract<MailOutcome, 'expired' | 'not_wanted' | 'no_mail_server'> }
  /** Without an account: the link of an operator. */
  | { step: 'deliver'; account: MailAccount | undefined; isMailed: boolean; isShown: boolean };

/** Decides about a mail, given the current state of its account. An operator is looked up with the making of their link. */
export function decideMail({ ageMs, account, ...mail }: ClaimedMail, ways: MailWays): MailDecision {
  const { kind, operatorAddress } = mail;
  if (operatorAddress === undefined && (account === undefined || !isWanted(mail, account)))
    return { step: 'end', outcome: 'not_wanted' };
  if (ageMs > LONGEST_WAIT_MS[kind]) return { step: 'end', outcome: 'expired' };
  // The operator's terminal already shows the link of an invite.
  const isShown = ways.showsLinks && kind === 'sign_in';
  if (!ways.hasMailServer && !isShown) return { step: 'end', outcome: 'no_mail_server' };
  return { step: 'deliver', account, isMailed: ways.hasMailServer, isShown };
}

function isWanted(
  { kind, event, webhook }: Pick<ClaimedMail, 'kind' | 'event' | 'webhook'>,
  { inviteStatus, lowBalanceNano, topUpOffReason }: MailAccount,
): boolean {
  switch (kind) {
    case 'sign_in':
      // An account with status "none" has not been invited: its address counts as unknown.
      return inviteStatus !== 'none';
    case 'invite':
      return inviteStatus === 'invited' || inviteStatus === 'active';
    case 'low_balance':
      return inviteStatus === 'active' && lowBalanceNano !== undefined;
    case 'top_up_off':
      // A dispute may have suspended the account.
      return topUpOffReason !== undefined;
    case 'webhook_disabled':
      return webhook !== undefined;
    case 'new_browser':
    case 'new_api_key':
    case 'new_device':
      return event !== undefined;
  }
}

/**
 * The mail to send; undefined if its link was not created. Calls `makeLink` if it needs one. Throws if the
 * subject of the mail is missing.
 */
async function writeMail(
  { kind, event, webhook }: ClaimedMail,
  { email: to, language, name, availableNano, lowBalanceNano, topUpOffReason }: MailAccount,
  { brand, publicUrl }: Pick<SendMailParts, 'brand' | 'publicUrl'>,
  makeLink: (purpose: SignInLinkPurpose) => Promise<MadeLink | undefined>,
): Promise<MailMessage | undefined> {
  switch (kind) {
    case 'sign_in': {
      const minutes = LINK_LIFETIME_MS.sign_in / MINUTE_MS;
      const made = await makeLink('sign_in');
      return made && writeSignInMail({ to, language, ...made, minutes }, brand);
    }
    case 'invite': {
      const days = LINK_LIFETIME_MS.invite / DAY_MS;
      const made = await makeLink('invite');
      return made && writeInviteMail({ to, language, name, link: made.link, days }, brand);
    }
    case 'low_balance': {
      if (lowBalanceNano === undefined) throw new Error('the account has no threshold');
      const link = `${publicUrl}${ADD_FUNDS_PAGE}`;
      const balance = { availableNano, thresholdNano: lowBalanceNano };
      return writeLowBalanceMail({ to, language, name, ...balance, link }, brand);
    }
    case 'top_up_off': {
      if (topUpOffReason === undefined) throw new Error('automatic top-up is not off');
      const link = `${publicUrl}${BILLING_PAGE}`;
      return writeTopUpOffMail({ to, language, name, reason: topUpOffReason, link }, brand);
    }
    case 'webhook_disabled': {
      if (webhook === undefined) throw new Error('the webhook is not disabled');
      const { id, url, reason } = webhook;
      const link = `${publicUrl}${WEBHOOKS_PAGE}/${toPublicId('hook', id)}`;
      return writeWebhookDisabledMail({ to, language, name, url, reason, link }, brand);
    }
    case 'new_browser':
    case 'new_api_key':
    case 'new_device': {
      if (event === undefined) throw new Error('there is no event to tell of');
      const { at, network, userAgent } = event;
      const place = { network, browser: nameBrowser(userAgent) };
      const link = `${publicUrl}${SECURITY_PAGE}`;
      return writeCredentialMail({ to, language, kind, at, ...place, link }, brand);
    }
  }
}

const MESSAGES: Record<
  Exclude<MailOutcome, 'not_wanted'>,
  { level: 'info' | 'warn' | 'error'; text: string }
> = {
  sent: { level: 'info', text: 'a mail was sent' },
  shown: { level: 'info', text: 'a mail was shown in the log' },
  refused: { level: 'error', text: 'a mail was not sent: the mail server rejected it' },
  expired: { level: 'warn', text: 'a mail was not sent: it expired' },
  no_mail_server: { level: 'warn', text: 'a mail was not sent: FAREBOX_MAIL_URL is not set' },
};

/**
 * Logs the outcome of a mail: not its text, its recipient, or the mail server's words. Confidential outcomes,
 * such as a link requested for an unknown address, are not logged.
 */
function logMail(
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

/** Posts mails to customers whose balance is below their threshold. Idempotent. */
export async function findLowBalances({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const count = await postLowBalanceMails(pool);
  if (count > 0) log.info({ event: 'low_balances_found', count }, 'posted mails about low balances');
}

/** Posts unfinished mails again, since their jobs may be lost, and deletes the records of old ones. */
export async function tendMails({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const again = await postMailsAgain(pool);
  if (again > 0) log.warn({ event: 'mails_waiting', count: again }, 'posted mails again that waited long');
  const count = await purgeMails(pool);
  if (count > 0) log.info({ event: 'mails_purged', count }, 'deleted mails that ended long ago');
}
