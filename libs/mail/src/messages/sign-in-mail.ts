import type { MailMessage } from '../mail-message';
import { writeLinkMail } from './link-mail';

/** The mail for somebody who has asked for a link. */
export function writeSignInMail(given: { to: string; link: string; minutes: number }): MailMessage {
  return writeLinkMail({
    to: given.to,
    subject: 'Sign in to Farebox',
    before: [
      `Somebody, most likely you, asked to sign in to Farebox as ${given.to}.`,
      `This link signs you in. It works once, for ${String(given.minutes)} minutes:`,
    ],
    action: 'Sign in to Farebox',
    link: given.link,
    after: ['If it was not you, do nothing: without this link nobody gets in. Do not pass it on.'],
  });
}
