import { fromDecimalUsd, type NanoUsd } from '@farebox/money';
import { z } from 'zod';
import { ConfigError } from './load-config';

export interface CardPaymentConfig {
  secretKey: string;
  webhookSecret: string;
  /** In place of Stripe's own: for tests. */
  apiUrl: string | undefined;
  minNano: NanoUsd;
  maxNano: NanoUsd;
}

const NANO_PER_CENT = 10_000_000n;
/** What Stripe charges at least, and at most. */
const [LEAST, MOST] = [fromDecimalUsd('0.50'), fromDecimalUsd('999999.99')];
const AMOUNT_MESSAGE = 'must be an amount in dollars and whole cents from 0.50 to 999999.99, like 25.00';

function topUpAmount(byDefault: string) {
  return z
    .string()
    .default(byDefault)
    .transform((text, context): NanoUsd => {
      const amountNano = /^\d{1,6}(\.\d{1,2})?$/.test(text) ? fromDecimalUsd(text) : undefined;
      if (
        amountNano !== undefined &&
        amountNano >= LEAST &&
        amountNano <= MOST &&
        amountNano % NANO_PER_CENT === 0n
      ) {
        return amountNano;
      }
      context.addIssue({ code: 'custom', message: AMOUNT_MESSAGE });
      return z.NEVER;
    });
}

const secret = (prefixes: readonly string[]) =>
  z
    .string()
    .refine(
      (text) => prefixes.some((prefix) => text.startsWith(prefix)) && /^[\x21-\x7e]{1,500}$/.test(text),
      `must be a secret of Stripe's that begins with ${prefixes.join(' or ')}`,
    );

/** The variables of card payments. */
export const cardPaymentVariables = {
  FAREBOX_STRIPE_SECRET_KEY: secret(['sk_', 'rk_']).optional(),
  FAREBOX_STRIPE_WEBHOOK_SECRET: secret(['whsec_']).optional(),
  FAREBOX_STRIPE_API_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL like http://127.0.0.1:12111' })
    .optional(),
  FAREBOX_TOP_UP_MIN: topUpAmount('5.00'),
  FAREBOX_TOP_UP_MAX: topUpAmount('1000.00'),
};

type CardPaymentValues = z.output<z.ZodObject<typeof cardPaymentVariables>>;

/** What those variables come to; without Stripe's secrets no card is charged. Throws `ConfigError`. */
export function toCardPaymentConfig(values: CardPaymentValues): CardPaymentConfig | undefined {
  const { FAREBOX_STRIPE_SECRET_KEY: secretKey, FAREBOX_STRIPE_WEBHOOK_SECRET: webhookSecret } = values;
  const { FAREBOX_TOP_UP_MIN: minNano, FAREBOX_TOP_UP_MAX: maxNano, FAREBOX_STRIPE_API_URL: apiUrl } = values;
  if (minNano > maxNano)
    throw new ConfigError(['FAREBOX_TOP_UP_MIN must not be more than FAREBOX_TOP_UP_MAX.']);
  if (secretKey === undefined && webhookSecret === undefined) return undefined;
  if (secretKey === undefined) {
    throw new ConfigError([
      'FAREBOX_STRIPE_SECRET_KEY is required where FAREBOX_STRIPE_WEBHOOK_SECRET is set.',
    ]);
  }
  if (webhookSecret === undefined) {
    throw new ConfigError([
      'FAREBOX_STRIPE_WEBHOOK_SECRET is required where FAREBOX_STRIPE_SECRET_KEY is set.',
    ]);
  }
  return { secretKey, webhookSecret, apiUrl, minNano, maxNano };
}
