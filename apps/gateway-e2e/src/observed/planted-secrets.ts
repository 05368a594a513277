import { randomBytes } from 'node:crypto';
import { UPSTREAM_SECRET_VARIABLE } from './observed-service';

/** A text that is nowhere else. */
const mark = (name: string): string => `canary-${name}-${randomBytes(6).toString('hex')}`;
const hex = (): string => randomBytes(32).toString('hex');

/** Secrets that an operator gives the processes, each of which would be known wherever it came out. */
export const OPERATOR_SECRETS = {
  pepper: hex(),
  answerKey: hex(),
  upstreamKey: `sk-${mark('upstream-key')}`,
  stripeKey: `sk_test_${mark('stripe-key').replaceAll('-', '')}`,
  stripeWebhook: `whsec_${mark('stripe-webhook').replaceAll('-', '')}`,
  mailPassword: mark('mail-password'),
  collectorToken: mark('collector-token'),
};

/** What customers write and are answered with. */
export const CUSTOMER_SECRETS = {
  email: `${mark('person')}@example.com`,
  prompt: mark('prompt'),
  idempotencyKey: mark('idempotency-key'),
  unknownField: mark('field'),
  path: mark('path'),
  query: mark('query'),
  headerValue: mark('header'),
  brokenJson: mark('broken-json'),
  brokenHttp: mark('broken-http'),
  keyName: mark('key-name'),
  paymentEvent: mark('payment-event'),
  mailServerWords: mark('mail-server-words'),
};

/** The environment with the operator's secrets; the mail server is the one at `port`. */
export function environmentWithSecrets(mailPort: number): Record<string, string> {
  const { pepper, answerKey, upstreamKey, stripeKey, stripeWebhook, mailPassword, collectorToken } =
    OPERATOR_SECRETS;
  return {
    FAREBOX_KEY_PEPPERS: `1:${pepper}`,
    FAREBOX_ANSWER_KEYS: `1:${answerKey}`,
    [UPSTREAM_SECRET_VARIABLE]: upstreamKey,
    FAREBOX_STRIPE_SECRET_KEY: stripeKey,
    FAREBOX_STRIPE_WEBHOOK_SECRET: stripeWebhook,
    // Nobody listens there: each call to it fails.
    FAREBOX_STRIPE_API_URL: 'http://127.0.0.1:9',
    FAREBOX_MAIL_URL: `smtp://mailer:${mailPassword}@127.0.0.1:${String(mailPort)}`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${collectorToken}`,
  };
}
