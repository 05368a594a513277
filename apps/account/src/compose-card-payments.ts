import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';
import type { AccountConfig } from './config';
import type { OpenEndpoint } from './http/endpoint';
import { stripeWebhookEndpoint } from './http/stripe-webhook';
import { createStripePayments } from './stripe/stripe-payments';
import { receivePaymentEvent } from './use-cases/billing';
import type { CardPayments } from './use-cases/start-checkout';

/** Builds what takes card payments; `undefined` where they are not switched on. */
export function composeCardPayments(
  { cardPayments: config, publicUrl }: AccountConfig,
  pool: Pool,
  log: Logger,
): (CardPayments & { webhook: OpenEndpoint }) | undefined {
  if (!config) return undefined;
  const { secretKey, webhookSecret, apiUrl, minNano, maxNano } = config;
  const stripe = createStripePayments({ secretKey, webhookSecret, apiUrl, publicUrl });
  return {
    bounds: { minNano, maxNano },
    openPaymentPage: stripe.openPaymentPage,
    webhook: stripeWebhookEndpoint(stripe.readDelivery, (event) => receivePaymentEvent({ pool, log }, event)),
  };
}
