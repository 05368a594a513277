import type { CredentialMailKind } from './mail-queue';
import type { MailMessage } from './mailer';
import { type MailBrand, writeLinkMail } from './messages';

interface CredentialMail {
  to: string;
  kind: CredentialMailKind;
  at: Date;
  /** As CIDR, if it is known. */
  network: string | null;
  /** As `Firefox on Linux`, in the service's own words. */
  browser: string | null;
  /** The page where the owner sees the event and can undo it. */
  link: string;
}

const SUBJECTS: Record<CredentialMailKind, (service: string) => string> = {
  new_browser: (service) => `New sign-in to ${service}`,
  new_api_key: (service) => `New API key of your ${service} account`,
  new_device: (service) => `New device of your ${service} account`,
};

const EVENTS: Record<CredentialMailKind, (account: string) => string> = {
  new_browser: (account) => `signed in to ${account} from a browser that had not been used for it before`,
  new_api_key: (account) => `created an API key of ${account}`,
  new_device: (account) => `registered a device of ${account}`,
};

/**
 * The mail for the owner of an account about a new credential. It contains no text that the creator of the
 * credential could choose, not even the name of the account.
 */
export function writeCredentialMail(
  { to, kind, at, network, browser, link }: CredentialMail,
  brand: MailBrand,
): MailMessage {
  return writeLinkMail(brand, {
    to,
    subject: SUBJECTS[kind](brand.name),
    before: [
      `Somebody, most likely you, ${EVENTS[kind](`the ${brand.name} account ${to}`)}.`,
      `When: ${toTime(at)}`,
      `Where: ${browser ?? 'a browser or program that is not known'}, network ${network ?? 'not known'}`,
      'If it was you, there is nothing to do. If it was not, sign out everywhere, revoke what you do not know, and check who can read your mail. This page shows what was done, and how:',
    ],
    action: 'See what was done to your account',
    link,
    after: ['At most five mails of this kind are sent in an hour. The page shows everything.'],
  });
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** `25 November 2026, 14:15 UTC`. */
function toTime(at: Date): string {
  return `${DAY.format(at)}, ${TIME.format(at)} UTC`;
}
