import type { MailMessage } from './mailer';
import type { TopUpOffReason } from './mail-queue';
import { type MailBrand, writeLinkMail } from './messages';

const WHY: Record<TopUpOffReason, string> = {
  failures: 'its last three payments were declined',
  card: 'its saved card does not exist any more',
  dispute: 'a payment by card was disputed',
};

interface TopUpOffMail {
  to: string;
  /** The recipient's name. */
  name: string;
  reason: TopUpOffReason;
  /** The console's page for billing. */
  link: string;
}

/** The mail for a customer whose automatic top-up was switched off without them. */
export function writeTopUpOffMail({ to, name, reason, link }: TopUpOffMail, brand: MailBrand): MailMessage {
  return writeLinkMail(brand, {
    to,
    subject: `Automatic top-up of your ${brand.name} account is off`,
    before: [
      `Hello ${name},`,
      `automatic top-up of your ${brand.name} account ${to} was switched off, because ${WHY[reason]}. Your card is not charged any more.`,
      'When the balance is used up, requests are refused. Add funds, or switch automatic top-up on again, here:',
    ],
    action: 'Open billing',
    link,
    after: [],
  });
}
