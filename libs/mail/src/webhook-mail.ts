import type { Text } from '@farebox/texts';
import { textsIn } from '@farebox/texts/every-language';
import type { MailMessage } from './mailer';
import type { DisabledWebhook } from './mail-queue';
import { type MailBrand, type Recipient, writeLinkMail } from './messages';

const WHY = {
  failures:
    'a webhook of your {service} account {address} was disabled, because nothing could be delivered to {host} for three days.',
  gone: 'a webhook of your {service} account {address} was disabled, because {host} answered with status 410: it wants no further events.',
} as const satisfies Record<DisabledWebhook['reason'], Text>;

interface WebhookDisabledMail extends Recipient, Pick<DisabledWebhook, 'url' | 'reason'> {
  /** The recipient's name. */
  name: string;
  /** The console's page of the webhook. */
  link: string;
}

/** The mail for a customer whose webhook was disabled without them. Only the host: the rest of a URL may be a secret. */
export function writeWebhookDisabledMail(
  { to, language, name, url, reason, link }: WebhookDisabledMail,
  brand: MailBrand,
): MailMessage {
  const { t } = textsIn(language);
  const service = brand.name;
  return writeLinkMail(brand, {
    to,
    language,
    subject: t('A webhook of your {service} account is disabled', { service }),
    before: [
      t('Hello {name},', { name }),
      t(WHY[reason], { service, address: to, host: new URL(url).host }),
      t(
        'It is not told of what happens while it is disabled. Once your program takes events again, edit the webhook on this page and switch "Send events" on: events that still wait are sent then.',
      ),
    ],
    action: t('Open the webhook'),
    link,
    after: [],
  });
}
