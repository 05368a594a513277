import { nameBrowserIn, type Language, type Text } from '@farebox/texts';
import { textsIn } from '@farebox/texts/every-language';
import type { CredentialMailKind } from './mail-queue';
import type { MailMessage } from './mailer';
import { type MailBrand, type Recipient, writeLinkMail } from './messages';

interface CredentialMail extends Recipient {
  kind: CredentialMailKind;
  at: Date;
  /** As CIDR, if it is known. */
  network: string | null;
  /** As `Firefox on Linux`, in the service's own words. */
  browser: string | null;
  /** The page where the owner sees the event and can undo it. */
  link: string;
}

const WORDS = {
  new_browser: {
    subject: 'New sign-in to {service}',
    event:
      'Somebody, most likely you, signed in to the {service} account {address} from a browser that had not been used for it before.',
  },
  new_api_key: {
    subject: 'New API key of your {service} account',
    event: 'Somebody, most likely you, created an API key of the {service} account {address}.',
  },
  new_device: {
    subject: 'New device of your {service} account',
    event: 'Somebody, most likely you, registered a device of the {service} account {address}.',
  },
} as const satisfies Record<CredentialMailKind, { subject: Text; event: Text }>;

/**
 * The mail for the owner of an account about a new credential. It contains no text that the creator of the
 * credential could choose, not even the name of the account.
 */
export function writeCredentialMail(
  { to, language, kind, at, network, browser, link }: CredentialMail,
  brand: MailBrand,
): MailMessage {
  const texts = textsIn(language);
  const { t } = texts;
  const service = brand.name;
  const { subject, event } = WORDS[kind];
  const place = {
    browser: browser === null ? t('a browser or program that is not known') : nameBrowserIn(texts, browser),
    network: network ?? t('not known'),
  };
  return writeLinkMail(brand, {
    to,
    language,
    subject: t(subject, { service }),
    before: [
      t(event, { service, address: to }),
      t('When: {time}', { time: toTime(at, language) }),
      t('Where: {browser}, network {network}', place),
      t(
        'If it was you, there is nothing to do. If it was not, sign out everywhere, revoke what you do not know, and check who can read your mail. This page shows what was done, and how:',
      ),
    ],
    action: t('See what was done to your account'),
    link,
    after: [t('At most five mails of this kind are sent in an hour. The page shows everything.')],
  });
}

const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' };

/** `25 November 2026, 14:15 UTC`. */
function toTime(at: Date, language: Language): string {
  const inUtc = (style: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(LOCALES[language], { ...style, timeZone: 'UTC' }).format(at);
  return `${inUtc({ dateStyle: 'long' })}, ${inUtc({ timeStyle: 'short' })} UTC`;
}
