import type { MailMessage } from '../mail-message';
import { writeLinkMail } from './link-mail';

export interface InviteMail {
  to: string;
  /** Of the person, as the operator wrote it. */
  name: string;
  link: string;
  days: number;
}

/** The mail for somebody whom an operator has invited. */
export function writeInviteMail({ to, name, link, days }: InviteMail): MailMessage {
  return writeLinkMail({
    to,
    subject: 'Your invitation to Farebox',
    before: [
      `Hello ${name},`,
      'you are invited to Farebox, an API for language models that you pay for as you use it.',
      `This link accepts the invitation and signs you in. It works once, for ${String(days)} days:`,
    ],
    action: 'Accept the invitation',
    link,
    after: [
      'Later you sign in with a link that is sent to this address. If you did not expect this mail, do nothing.',
    ],
  });
}
