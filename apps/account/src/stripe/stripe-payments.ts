import { type Checkout, isPaymentEventType, toCheckoutReference, toSetupReference } from '@farebox/billing';
import { openStripe, toStripeCause } from '@farebox/billing/stripe';
import { ApiError } from '@farebox/errors';
import { SECOND_MS } from '@farebox/flow';
import { toWholeCents } from '@farebox/money';
import type Stripe from 'stripe';
import type { OpenCardPage, OpenPaymentPage, PaymentPage } from '../use-cases/billing';

interface StripePaymentOptions {
  secretKey: string;
  webhookSecret: string;
  /** Replaces Stripe's own URL in tests. */
  apiUrl: string | undefined;
  /** The public URL of this service. */
  publicUrl: string;
}

interface StripePayments {
  openPaymentPage: OpenPaymentPage;
  openCardPage: OpenCardPage;
  /**
   * The id of the event delivered to the webhook; `undefined` if its type does not concern payments. Throws
   * `invalid_request_error` if the signature is not Stripe's or is older than five minutes.
   */
  readDelivery: (body: Buffer, signature: string | undefined) => string | undefined;
}

/** A customer waits for the response. */
const TIMES = { timeoutMs: 10_000, retries: 1 };

export function createStripePayments({
  secretKey,
  webhookSecret,
  apiUrl,
  publicUrl,
}: StripePaymentOptions): StripePayments {
  const stripe = openStripe({ secretKey, apiUrl, ...TIMES });
  return {
    openPaymentPage: (checkout) => openPaymentPage(stripe, checkout, publicUrl),
    openCardPage: (setupId, customerId) => openCardPage(stripe, { setupId, customerId }, publicUrl),
    readDelivery: (body, signature) => readDelivery(stripe, body, signature, webhookSecret),
  };
}

function openPaymentPage(stripe: Stripe, checkout: Checkout, publicUrl: string): Promise<PaymentPage> {
  const session: Stripe.Checkout.SessionCreateParams = {
    mode: 'payment',
    client_reference_id: toCheckoutReference(checkout),
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: toWholeCents(checkout.amountNano),
          product_data: { name: 'Prepaid balance' },
        },
      },
    ],
    success_url: `${publicUrl}/billing?checkout=paid&payment=${toCheckoutReference(checkout)}`,
    cancel_url: `${publicUrl}/billing?checkout=cancelled`,
  };
  return openPage(stripe, session, checkout.id);
}

/** A card that is entered here may be charged without its owner: Stripe asks them to agree to that. */
function openCardPage(
  stripe: Stripe,
  { setupId, customerId }: { setupId: string; customerId: string | undefined },
  publicUrl: string,
): Promise<PaymentPage> {
  const session: Stripe.Checkout.SessionCreateParams = {
    mode: 'setup',
    client_reference_id: toSetupReference(setupId),
    currency: 'usd',
    allowed_payment_method_types: ['card'],
    ...(customerId === undefined ? { customer_creation: 'always' } : { customer: customerId }),
    success_url: `${publicUrl}/billing?card=saved`,
    cancel_url: `${publicUrl}/billing?card=cancelled`,
  };
  return openPage(stripe, session, setupId);
}

async function openPage(
  stripe: Stripe,
  params: Stripe.Checkout.SessionCreateParams,
  idempotencyKey: string,
): Promise<PaymentPage> {
  try {
    const session = await stripe.checkout.sessions.create(params, { idempotencyKey });
    if (!session.url) throw new Error('Stripe answered without the address of a page');
    return {
      sessionId: session.id,
      url: session.url,
      expiresAt: new Date(session.expires_at * SECOND_MS),
    };
  } catch (error) {
    const cause = toStripeCause(error);
    throw new ApiError('service_unavailable', { message: 'Card payments are not available now.', cause });
  }
}

function readDelivery(
  stripe: Stripe,
  body: Buffer,
  signature: string | undefined,
  secret: string,
): string | undefined {
  try {
    const { id, type } = stripe.webhooks.constructEvent(body, signature ?? '', secret);
    return isPaymentEventType(type) ? id : undefined;
  } catch (cause) {
    throw new ApiError('invalid_request_error', { message: 'The signature is not valid.', cause });
  }
}
