import { NANO_PER_CENT, toDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
import escapeHtml from 'escape-html';
import type { MailMessage } from './mailer';

/** The operator's brand in a mail. */
export interface MailBrand {
  name: string;
  /** URL of an image. */
  logoUrl: string | undefined;
  /** Colour of links, as `#1a4fa0`. */
  color: string | undefined;
  /** The support address. */
  supportEmail: string | undefined;
}

interface SignInMail {
  to: string;
  link: string;
  minutes: number;
}

/** The mail with a sign-in link. */
export function writeSignInMail(given: SignInMail, brand: MailBrand): MailMessage {
  const action = `Sign in to ${brand.name}`;
  return writeLinkMail(brand, {
    to: given.to,
    subject: action,
    before: [
      `Somebody, most likely you, asked to sign in to ${brand.name} as ${given.to}.`,
      `This link signs you in. It works once, for ${String(given.minutes)} minutes:`,
    ],
    action,
    link: given.link,
    after: ['If it was not you, do nothing: without this link nobody gets in. Do not pass it on.'],
  });
}

interface InviteMail {
  to: string;
  /** The recipient's name, as the operator wrote it. */
  name: string;
  link: string;
  days: number;
}

/** The mail for somebody whom an operator has invited. */
export function writeInviteMail({ to, name, link, days }: InviteMail, brand: MailBrand): MailMessage {
  return writeLinkMail(brand, {
    to,
    subject: `Your invitation to ${brand.name}`,
    before: [
      `Hello ${name},`,
      `you are invited to ${brand.name}, a prepaid API for language models.`,
      `This link accepts the invitation and signs you in. It works once, for ${String(days)} days:`,
    ],
    action: 'Accept the invitation',
    link,
    after: [
      'Later you sign in with a link that is sent to this address. If you did not expect this mail, do nothing.',
    ],
  });
}

interface LowBalanceMail {
  to: string;
  /** The recipient's name. */
  name: string;
  availableNano: NanoUsd;
  /** The balance below which this mail is sent. */
  thresholdNano: NanoUsd;
}

/** The mail for a customer whose balance is below the threshold of their account. */
export function writeLowBalanceMail(
  { to, name, availableNano, thresholdNano }: LowBalanceMail,
  brand: MailBrand,
): MailMessage {
  const subject = `Your ${brand.name} balance is low`;
  const sentences = [
    `Hello ${name},`,
    `of the balance of your ${brand.name} account ${to}, ${toCents(availableNano)} dollars are available: less than the ` +
      `${toShownUsd(thresholdNano)} dollars below which you get this mail.`,
    'When the balance is used up, requests are refused until money is added.',
    'You get this mail once, and again only after the balance was above that amount.',
    ...supportOf(brand),
  ];
  return {
    to,
    subject,
    text: toTextMail(sentences),
    html: toHtmlMail(brand, subject, sentences.map(escapeHtml)),
  };
}

/** Rounded down, so that a balance below a threshold is never shown as the threshold. */
function toCents(amountNano: NanoUsd): string {
  return toShownUsd(toNanoUsd(amountNano - (amountNano % NANO_PER_CENT)));
}

/** All significant digits, and at least the cents: `5.00`, `0.0000105`. */
function toShownUsd(amountNano: NanoUsd): string {
  return toDecimalUsd(amountNano).replace(/(\.\d{2}\d*?)0+$/, '$1');
}

export interface LinkMail {
  to: string;
  subject: string;
  /** Sentences before the link. */
  before: readonly string[];
  /** The text of the link. */
  action: string;
  link: string;
  /** Sentences after the link. */
  after: readonly string[];
}

/** A short mail around one link, in both forms. */
export function writeLinkMail(
  brand: MailBrand,
  { to, subject, before, action, link, after }: LinkMail,
): MailMessage {
  const end = [...after, ...supportOf(brand)];
  const style = brand.color === undefined ? '' : ` style="color: ${brand.color}"`;
  const paragraphs = [
    ...before.map(escapeHtml),
    `<a href="${escapeHtml(link)}"${style}>${escapeHtml(action)}</a>`,
    ...end.map(escapeHtml),
  ];
  return {
    to,
    subject,
    text: toTextMail([...before, link, ...end]),
    html: toHtmlMail(brand, subject, paragraphs),
  };
}

function toTextMail(paragraphs: readonly string[]): string {
  return paragraphs.map((paragraph) => `${paragraph}\n`).join('\n');
}

function supportOf({ supportEmail }: MailBrand): string[] {
  return supportEmail === undefined ? [] : [`Questions? Write to ${supportEmail}.`];
}

function logoOf({ name, logoUrl }: MailBrand): string {
  if (logoUrl === undefined) return '';
  return `<p><img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" height="48"></p>\n`;
}

/** `paragraphs` are already HTML. */
function toHtmlMail(brand: MailBrand, subject: string, paragraphs: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="font-family: sans-serif; line-height: 1.5">
${logoOf(brand)}${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
</body>
</html>
`;
}
