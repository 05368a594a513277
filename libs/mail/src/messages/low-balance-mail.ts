import { toDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
import type { MailMessage } from '../mail-message';
import { toHtmlText } from './html-text';
import { toHtmlMail, toTextMail } from './paragraphs';

export interface LowBalanceMail {
  to: string;
  /** Of the person. */
  name: string;
  availableNano: NanoUsd;
  /** Below which he is told. */
  thresholdNano: NanoUsd;
}

/** The mail for somebody whose balance is below the threshold that was set for his account. */
export function writeLowBalanceMail({ to, name, availableNano, thresholdNano }: LowBalanceMail): MailMessage {
  const subject = 'Your Farebox balance is low';
  const sentences = [
    `Hello ${name},`,
    `of the balance of your Farebox account ${to}, ${toCents(availableNano)} dollars are available: less than the ` +
      `${toShownUsd(thresholdNano)} dollars below which you are told.`,
    'When the balance is used up, requests are refused until money is added.',
    'You get this mail once, and again only after the balance was above that amount.',
  ];
  return {
    to,
    subject,
    text: toTextMail(sentences),
    html: toHtmlMail(subject, sentences.map(toHtmlText)),
  };
}

const NANO_PER_CENT = 10_000_000n;

/** Rounded down: what is below a threshold does not show as the threshold. */
function toCents(amountNano: NanoUsd): string {
  return toShownUsd(toNanoUsd(amountNano - (amountNano % NANO_PER_CENT)));
}

/** Every digit that says something, and at least the cents: `5.00`, `0.0000105`. */
function toShownUsd(amountNano: NanoUsd): string {
  return toDecimalUsd(amountNano).replace(/(\.\d{2}\d*?)0+$/, '$1');
}
