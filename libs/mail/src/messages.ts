import { textColorOn } from '@farebox/config';
import { NANO_PER_CENT, toDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
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
  /** The console's page for billing. */
  link: string;
}

/** The mail for a customer whose balance is below the threshold of their account. */
export function writeLowBalanceMail(
  { to, name, availableNano, thresholdNano, link }: LowBalanceMail,
  brand: MailBrand,
): MailMessage {
  return writeLinkMail(brand, {
    to,
    subject: `Your ${brand.name} balance is low`,
    before: [
      `Hello ${name},`,
      `your ${brand.name} account ${to} has ${toCents(availableNano)} dollars left: less than the ` +
        `${toShownUsd(thresholdNano)} dollars below which you get this mail.`,
      'When the balance is used up, requests are refused until money is added. Add funds here:',
    ],
    action: 'Add funds',
    link,
    after: ['You get this mail once, and again only after the balance was above that amount.'],
  });
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
  /** The text of the button. */
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
  const address = escapeHtml(link);
  const paragraphs = [
    ...before.map(escapeHtml),
    `<a href="${address}" style="${buttonStyleOf(brand)}">${escapeHtml(action)}</a>`,
    // For programs that show no links, and for another machine.
    `<small>Or open this address: <span style="word-break: break-all">${address}</span></small>`,
    ...end.map(escapeHtml),
  ];
  return {
    to,
    subject,
    text: toTextMail([...before, link, ...end]),
    html: toHtmlMail(brand, subject, paragraphs),
  };
}

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

function supportOf({ supportEmail }: MailBrand): string[] {
  return supportEmail === undefined ? [] : [`Questions? Write to ${supportEmail}.`];
}

function logoOf({ name, logoUrl }: MailBrand): string {
  const shown = escapeHtml(name);
  if (logoUrl === undefined) return `<p style="font-size: 18px; font-weight: 600">${shown}</p>\n`;
  return `<p><img src="${escapeHtml(logoUrl)}" alt="${shown}" height="48"></p>\n`;
}

/** `paragraphs` are already HTML. */
function toHtmlMail(brand: MailBrand, subject: string, paragraphs: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="max-width: 560px; margin: 0 auto; padding: 24px; font-family: system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; line-height: 1.5">
${logoOf(brand)}${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
</body>
</html>
`;
}
