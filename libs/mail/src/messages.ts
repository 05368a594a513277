import { toShownCode } from '@farebox/auth';
import { textColorOn } from '@farebox/config';
import { NANO_PER_CENT, toDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
import type { Language } from '@farebox/texts';
import { textsIn, type Texts } from '@farebox/texts/every-language';
import escapeHtml from 'escape-html';
import type { MailMessage } from './mailer';

/** The operator's brand in a mail. */
export interface MailBrand {
  name: string;
  /** URL of an image. */
  logoUrl: string | undefined;
  /** Colour of buttons, as `#1a4fa0`. */
  color: string | undefined;
  /** The support address. */
  supportEmail: string | undefined;
}

/** The reader of a mail. */
export interface Recipient {
  /** A bare address. */
  to: string;
  language: Language;
}

interface SignInMail extends Recipient {
  link: string;
  /** For the browser that asked for the link; undefined if none did. */
  code: string | undefined;
  minutes: number;
}

/** The mail with a sign-in link. */
export function writeSignInMail(
  { to, language, link, code, minutes }: SignInMail,
  brand: MailBrand,
): MailMessage {
  const { t } = textsIn(language);
  const service = brand.name;
  const action = t('Sign in to {service}', { service });
  return writeLinkMail(brand, {
    to,
    language,
    subject: action,
    before: [
      t('Somebody, most likely you, asked to sign in to {service} as {address}.', { service, address: to }),
      t('This link signs you in. It works once, for {minutes} minutes:', { minutes }),
    ],
    action,
    link,
    ...(code !== undefined && {
      code: {
        lead: t(
          'Or, if you asked on another machine, type this code there, into the page that waits for it:',
        ),
        text: toShownCode(code),
      },
    }),
    after: [
      t(
        'Type the code nowhere else, whoever asks you for it. If you did not ask for this mail, do nothing: without the link or the code nobody gets in. Pass on neither.',
      ),
    ],
  });
}

interface InviteMail extends Recipient {
  /** The recipient's name, as the operator wrote it. */
  name: string;
  link: string;
  days: number;
}

/** The mail for somebody whom an operator has invited. */
export function writeInviteMail(
  { to, language, name, link, days }: InviteMail,
  brand: MailBrand,
): MailMessage {
  const { t } = textsIn(language);
  const service = brand.name;
  return writeLinkMail(brand, {
    to,
    language,
    subject: t('Your invitation to {service}', { service }),
    before: [
      t('Hello {name},', { name }),
      t('you are invited to {service}, a prepaid API for language models.', { service }),
      t('This link accepts the invitation and signs you in. It works once, for {days} days:', { days }),
    ],
    action: t('Accept the invitation'),
    link,
    after: [
      t(
        'Later you sign in with a link that is sent to this address. If you did not expect this mail, do nothing.',
      ),
    ],
  });
}

interface LowBalanceMail extends Recipient {
  /** The recipient's name. */
  name: string;
  availableNano: NanoUsd;
  /** The balance below which this mail is sent. */
  thresholdNano: NanoUsd;
  /** The console's page for billing. */
  link: string;
}

/** The mail for a customer whose balance is below the threshold of their account. */
export function writeLowBalanceMail(
  { to, language, name, availableNano, thresholdNano, link }: LowBalanceMail,
  brand: MailBrand,
): MailMessage {
  const { t } = textsIn(language);
  const service = brand.name;
  return writeLinkMail(brand, {
    to,
    language,
    subject: t('Your {service} balance is low', { service }),
    before: [
      t('Hello {name},', { name }),
      t(
        'your {service} account {address} has {available} dollars left: less than the {threshold} dollars below which you get this mail.',
        {
          service,
          address: to,
          available: toCents(availableNano, language),
          threshold: toShownUsd(thresholdNano, language),
        },
      ),
      t('When the balance is used up, requests are refused until money is added. Add funds here:'),
    ],
    action: t('Add funds'),
    link,
    after: [t('You get this mail once, and again only after the balance was above that amount.')],
  });
}

/** Rounded down, so that a balance below a threshold is never shown as the threshold. */
function toCents(amountNano: NanoUsd, language: Language): string {
  return toShownUsd(toNanoUsd(amountNano - (amountNano % NANO_PER_CENT)), language);
}

/** All significant digits, and at least the cents: `5.00`, `0.0000105`. */
function toShownUsd(amountNano: NanoUsd, language: Language): string {
  const shown = { minimumFractionDigits: 2, maximumFractionDigits: 9, useGrouping: false };
  // A text, which is shown exactly.
  return new Intl.NumberFormat(language, shown).format(toDecimalUsd(amountNano) as `${number}`);
}

export interface LinkMail extends Recipient {
  subject: string;
  /** Sentences before the link. */
  before: readonly string[];
  /** The text of the button. */
  action: string;
  link: string;
  /** A code beside the link. */
  code?: { lead: string; text: string };
  /** Sentences after the link. */
  after: readonly string[];
}

/** A short mail around one link, in both forms. */
export function writeLinkMail(
  brand: MailBrand,
  { to, language, subject, before, action, link, code, after }: LinkMail,
): MailMessage {
  const texts = textsIn(language);
  const end = [...after, ...supportOf(brand, texts)];
  const shown = `<span style="word-break: break-all">${escapeHtml(link)}</span>`;
  const paragraphs = [
    ...before.map(escapeHtml),
    `<a href="${escapeHtml(link)}" style="${buttonStyleOf(brand)}">${escapeHtml(action)}</a>`,
    // For programs that show no links, and for another machine.
    `<small>${escapeHtml(texts.t('Or open this address:'))} ${shown}</small>`,
    ...(code ? [escapeHtml(code.lead), `<span style="${CODE_STYLE}">${escapeHtml(code.text)}</span>`] : []),
    ...end.map(escapeHtml),
  ];
  return {
    to,
    subject,
    text: toTextMail([...before, link, ...(code ? [code.lead, code.text] : []), ...end]),
    html: toHtmlMail(brand, { language, subject, paragraphs }),
  };
}

const CODE_STYLE =
  'font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 24px; letter-spacing: 2px';

/** As the console's buttons look, readable in every colour. */
function buttonStyleOf({ color = '#3f51c2' }: MailBrand): string {
  return (
    'display: inline-block; padding: 10px 18px; border-radius: 8px; font-weight: 600; text-decoration: none; ' +
    `background: ${color}; color: ${textColorOn(color)}`
  );
}

function toTextMail(paragraphs: readonly string[]): string {
  return paragraphs.map((paragraph) => `${paragraph}\n`).join('\n');
}

function supportOf({ supportEmail }: MailBrand, { t }: Texts): string[] {
  return supportEmail === undefined ? [] : [t('Questions? Write to {address}.', { address: supportEmail })];
}

function logoOf({ name, logoUrl }: MailBrand): string {
  const shown = escapeHtml(name);
  if (logoUrl === undefined) return `<p style="font-size: 18px; font-weight: 600">${shown}</p>\n`;
  return `<p><img src="${escapeHtml(logoUrl)}" alt="${shown}" height="48"></p>\n`;
}

/** `paragraphs` are already HTML. */
function toHtmlMail(
  brand: MailBrand,
  { language, subject, paragraphs }: { language: Language; subject: string; paragraphs: readonly string[] },
): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="max-width: 560px; margin: 0 auto; padding: 24px; font-family: system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; line-height: 1.5">
${logoOf(brand)}${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
</body>
</html>
`;
}
