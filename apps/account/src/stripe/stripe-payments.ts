import { toPublicId } from '@farebox/auth';
import type { Checkout, PaymentEvent } from '@farebox/billing';
import { ApiError, SECOND_MS } from '@farebox/errors';
import { NANO_PER_CENT } from '@farebox/money';
import Stripe from 'stripe';
import type { OpenPaymentPage } from '../use-cases/billing';
import { CHECKOUT_PREFIX, readStripeEvent } from './read-event';

interface StripeOptions {
  secretKey: string;
  webhookSecret: string;
  /** In place of Stripe's own, for tests. */
  apiUrl: string | undefined;
  /** Where customers reach this service. */
  publicUrl: string;
}

interface StripePayments {
  openPaymentPage: OpenPaymentPage;
  /**
   * What a delivery to the webhook says about a payment of this service; `undefined` if that is nothing. Throws
   * `invalid_request_error` if its signature is not Stripe's, or older than five minutes.
   */
  readDelivery: (body: Buffer, signature: string | undefined) => PaymentEvent | undefined;
}

/** A customer waits for the response. */
const TIMEOUT_MS = 10_000;
const RETRIES = 1;

export function createStripePayments(options: StripeOptions): StripePayments {
  const stripe = new Stripe(options.secretKey, {
    ...addressOf(options.apiUrl),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  });
  return {
    openPaymentPage: (checkout) => openPaymentPage(stripe, checkout, options.publicUrl),
    readDelivery: (body, signature) => readDelivery(stripe, body, signature, options.webhookSecret),
  };
}

async function openPaymentPage(stripe: Stripe, checkout: Checkout, publicUrl: string) {
  try {
    const session = await stripe.checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: toPublicId(CHECKOUT_PREFIX, checkout.id),
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: 'usd',
              unit_amount: toCents(checkout),
              product_data: { name: 'Prepaid balance' },
            },
          },
        ],
        success_url: `${publicUrl}/billing?checkout=paid`,
        cancel_url: `${publicUrl}/billing?checkout=cancelled`,
      },
      { idempotencyKey: checkout.id },
    );
    if (!session.url) throw new Error('Stripe answered without the address of a page');
    return {
      sessionId: session.id,
      url: session.url,
      expiresAt: new Date(session.expires_at * SECOND_MS),
    };
  } catch (error) {
    const cause = toCause(error);
    throw new ApiError('service_unavailable', { message: 'Card payments are not available now.', cause });
  }
}

/** What an operator can look up at Stripe. Its own messages may name a key. */
function toCause(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { type, code, statusCode, requestId } = error;
  return new Error(`Stripe: ${[type, code, statusCode, requestId].filter(Boolean).join(', ')}`);
}

function readDelivery(stripe: Stripe, body: Buffer, signature: string | undefined, secret: string) {
  let event: Stripe.Event;
  try {
    event = stripe.webhooks.constructEvent(body, signature ?? '', secret);
  } catch (cause) {
    throw new ApiError('invalid_request_error', { message: 'The signature is not valid.', cause });
  }
  return readStripeEvent(event);
}

function toCents({ amountNano }: Checkout): number {
  const amountCents = amountNano / NANO_PER_CENT;
  return Number(amountCents);
}

function addressOf(apiUrl: string | undefined): Partial<ConstructorParameters<typeof Stripe>[1]> {
  if (apiUrl === undefined) return {};
  const { hostname, port, protocol } = new URL(apiUrl);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? 80 : 443), protocol: isPlain ? 'http' : 'https' };
}
