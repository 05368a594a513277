import { isOfThisMachine } from '@farebox/config';
import { createMailer, openMemoryOutbox, type MailOutbox, type MailReport } from '@farebox/mail';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';
import type { AccountConfig } from './config';
import type { CookieRules } from './http/sign-in/session-cookie';
import { openLinkDelivery } from './use-cases/sign-in/link-delivery';

export interface SignInParts {
  deliver: (email: string) => void;
  cookieRules: CookieRules;
  /** Lets what was asked for be sent. Before the pool ends. */
  close(): Promise<void>;
}

/** Within the time that the process has to close in. */
const MAIL_DEADLINE_MS = 3_000;

/** The parts of the sign-in that send mails and links. */
export function composeSignIn(config: AccountConfig, pool: Pool, log: Logger): SignInParts {
  const outbox = openOutbox(config, log);
  const { publicUrl, showsSignInLinks: showsLinks } = config;
  const delivery = openLinkDelivery({ pool, publicUrl, outbox, showsLinks, log });
  return {
    deliver: (email) => {
      delivery.deliver(email);
    },
    cookieRules: { isSecure: !isOfThisMachine(publicUrl) },
    async close() {
      await delivery.settled();
      await outbox?.close(MAIL_DEADLINE_MS);
    },
  };
}

function openOutbox({ mail, showsSignInLinks }: AccountConfig, log: Logger): MailOutbox | undefined {
  if (mail) return openMemoryOutbox({ mailer: createMailer(mail), onReport: reportTo(log) });
  if (!showsSignInLinks) {
    log.warn({ event: 'mail_not_configured' }, 'no link to sign in can be sent: FAREBOX_MAIL_URL is not set');
  }
  return undefined;
}

/** A mail's fate for the log: not its text, not its recipient, and none of the mail server's words. */
function reportTo(log: Logger) {
  return ({ accountId, attempt, outcome, failure }: MailReport): void => {
    const fields = { event: 'mail', account_id: accountId, attempt, outcome };
    if (!failure) log.info(fields, 'a mail was sent');
    else {
      const why = { reason: failure.reason, status: failure.smtpStatus };
      log[outcome === 'given_up' ? 'error' : 'warn']({ ...fields, ...why }, 'a mail was not sent');
    }
  };
}
