import type { Text } from '@farebox/texts';
import { textsIn } from '@farebox/texts/every-language';
import type { MailMessage } from './mailer';
import type { TopUpOffReason } from './mail-queue';
import { type MailBrand, type Recipient, writeLinkMail } from './messages';

const WHY = {
  failures:
    'automatic top-up of your {service} account {address} was switched off, because its last three payments were declined. Your card is not charged any more.',
  card: 'automatic top-up of your {service} account {address} was switched off, because its saved card does not exist any more. Your card is not charged any more.',
  dispute:
    'automatic top-up of your {service} account {address} was switched off, because a payment by card was disputed. Your card is not charged any more.',
} as const satisfies Record<TopUpOffReason, Text>;

interface TopUpOffMail extends Recipient {
  /** The recipient's name. */
  name: string;
  reason: TopUpOffReason;
  /** The console's page for billing. */
  link: string;
}

/** The mail for a customer whose automatic top-up was switched off without them. */
export function writeTopUpOffMail(
  { to, language, name, reason, link }: TopUpOffMail,
  brand: MailBrand,
): MailMessage {
  const { t } = textsIn(language);
  const service = brand.name;
  return writeLinkMail(brand, {
    to,
    language,
    subject: t('Automatic top-up of your {service} account is off', { service }),
    before: [
      t('Hello {name},', { name }),
      t(WHY[reason], { service, address: to }),
      t(
        'When the balance is used up, requests are refused. Add funds, or switch automatic top-up on again, here:',
      ),
    ],
    action: t('Open billing'),
    link,
    after: [],
  });
}
