import { createSignInLink, LINK_LIFETIME_MS, toSignInUrl } from '@farebox/auth';
import { toPublicId } from '@farebox/ids';
import { writeSignInMail, type MailOutbox } from '@farebox/mail';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

export interface LinkDeliveryOptions {
  pool: Pool;
  /** Origin of the links. */
  publicUrl: string;
  /** Not set where no mail server is. */
  outbox: MailOutbox | undefined;
  /** Development: the link is also written to the log. */
  showsLinks: boolean;
  log: Logger;
}

export interface LinkDelivery {
  /** Begins soon, is never waited for, and tells nobody how it went. */
  deliver(email: string): void;
  /** Resolves when everything that has begun is in the outbox. */
  settled(): Promise<void>;
}

const MOST_UNDER_WAY = 1_000;
const MINUTE_MS = 60_000;

/** Sends links to those who have an account, after they were answered. */
export function openLinkDelivery(options: LinkDeliveryOptions): LinkDelivery {
  const { log } = options;
  const underWay = new Set<Promise<void>>();
  return {
    deliver(email) {
      if (underWay.size >= MOST_UNDER_WAY) {
        log.warn({ event: 'sign_in_link_not_sent', reason: 'too_many' }, 'a link was not sent');
        return;
      }
      const delivery = soon()
        .then(() => sendLink(email, options))
        .catch((error: unknown) => {
          log.error({ event: 'sign_in_link_not_sent', error }, 'a link was not sent');
        })
        .finally(() => underWay.delete(delivery));
      underWay.add(delivery);
    },
    async settled() {
      await Promise.all(underWay);
    },
  };
}

async function sendLink(email: string, { pool, publicUrl, outbox, showsLinks, log }: LinkDeliveryOptions) {
  const { rows } = await pool.query<{ id: string }>(
    // An account of status "none" has not been invited: its address is as good as unknown.
    `SELECT id FROM account WHERE email = $1 AND invite_status <> 'none'`,
    [email],
  );
  const [account] = rows;
  if (!account) return;
  const accountId = toPublicId('acct', account.id);
  const { token } = await createSignInLink(account.id, pool, 'sign_in');
  const link = toSignInUrl(publicUrl, token);
  if (showsLinks) {
    log.info({ event: 'sign_in_link', account_id: accountId, sign_in_link: link }, 'a link to sign in');
  }
  if (outbox) {
    outbox.post(
      writeSignInMail({ to: email, link, minutes: LINK_LIFETIME_MS.sign_in / MINUTE_MS }),
      accountId,
    );
  } else if (!showsLinks) {
    const fields = { event: 'sign_in_link_not_sent', account_id: accountId, reason: 'no_mail_server' };
    log.warn(fields, 'a link was not sent: FAREBOX_MAIL_URL is not set');
  }
}

/** After what runs now, the answer to the request included. */
function soon(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
