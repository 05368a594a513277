import type { MailMessage } from './mailer';
import { writeLinkMail, type MailBrand } from './messages';

/** The mail with a sign-in link of an operator. In English, as their console. */
export function writeOperatorMail(
  { to, link, minutes }: { to: string; link: string; minutes: number },
  brand: MailBrand,
): MailMessage {
  const action = `Operate ${brand.name}`;
  return writeLinkMail(brand, {
    to,
    language: 'en',
    subject: `Sign in to operate ${brand.name}`,
    before: [
      `Somebody, most likely you, asked to sign in as an operator of ${brand.name}, as ${to}.`,
      `This link signs you in. It works once, for ${String(minutes)} minutes:`,
    ],
    action,
    link,
    after: [
      'If you did not ask for this mail, do nothing: without the link nobody gets in. Do not pass it on.',
    ],
  });
}
