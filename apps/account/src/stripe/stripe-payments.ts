import { fromPublicId, toPublicId } from '@farebox/auth';
import type { Checkout, PaymentEvent } from '@farebox/billing';
import { ApiError, SECOND_MS } from '@farebox/errors';
import { NANO_PER_CENT, type NanoUsd, toNanoUsd } from '@farebox/money';
import Stripe from 'stripe';
import { z } from 'zod';
import type { OpenPaymentPage } from '../use-cases/billing';

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

// Stripe writes an event in the API version of the webhook's settings, not in that of the package: only what all versions
// have is read, and it is checked.

/** States of a dispute that takes no money: an inquiry, or one that Stripe prevented. */
const NOTHING_WITHDRAWN = /^(?:warning_|prevented$)/;

/** States of a refund whose money has come back. Source: https://docs.stripe.com/api/refunds/object#refund_object-status */
const CAME_BACK: ReadonlySet<string> = new Set(['failed', 'canceled']);

const id = z.string().min(1).max(255);
/** The id of an object, or the object itself, if the webhook asks for it whole. */
const reference = z.union([id, z.object({ id }).transform((whole) => whole.id)]);
/** Stripe counts in the smallest unit of the currency. */
const cents = z.int().min(0);
const currency = z.string().max(10);

const session = z.object({
  id,
  client_reference_id: z.string().nullish(),
  payment_status: z.string(),
  payment_intent: reference.nullish(),
  amount_total: cents.nullish(),
  currency: currency.nullish(),
});
const charge = z.object({ id, payment_intent: reference.nullish(), amount_refunded: cents, currency });
const refund = z.object({
  id,
  payment_intent: reference.nullish(),
  amount: cents,
  currency,
  status: z.string().nullish(),
});
const dispute = z.object({
  id,
  payment_intent: reference.nullish(),
  amount: cents,
  currency,
  status: z.string(),
});

/** The id under which a checkout is known to Stripe. */
const CHECKOUT_PREFIX = 'chk';

type Head = Pick<PaymentEvent, 'id' | 'type'>;

const READERS: Readonly<Record<string, (head: Head, object: unknown) => PaymentEvent | undefined>> = {
  'checkout.session.completed': (head, object) => readSession(head, object, 'pay'),
  'checkout.session.async_payment_succeeded': (head, object) => readSession(head, object, 'pay'),
  'checkout.session.async_payment_failed': (head, object) => readSession(head, object, 'end'),
  'checkout.session.expired': (head, object) => readSession(head, object, 'end'),
  'charge.refunded': readRefundedCharge,
  'refund.created': readRefund,
  'refund.updated': readRefund,
  'refund.failed': readRefund,
  // As API versions before 2024-10-28 name it.
  'charge.refund.updated': readRefund,
  'charge.dispute.created': readNewDispute,
  'charge.dispute.funds_withdrawn': (head, object) => readDispute(head, object, 'dispute'),
  'charge.dispute.funds_reinstated': (head, object) => readDispute(head, object, 'reinstate'),
};

/**
 * What an event says about a payment of this service; `undefined` if that is nothing. Throws if an event of a known
 * type has not the fields that such an event has.
 */
function readStripeEvent(event: {
  id: string;
  type: string;
  data: { object: unknown };
}): PaymentEvent | undefined {
  const read = Object.hasOwn(READERS, event.type) ? READERS[event.type] : undefined;
  return read?.({ id: event.id, type: event.type }, event.data.object);
}

function readSession(head: Head, object: unknown, action: 'pay' | 'end'): PaymentEvent | undefined {
  const read = session.parse(object);
  // A session that another product of the same Stripe account has opened has no checkout of ours.
  const checkoutId = fromPublicId(CHECKOUT_PREFIX, read.client_reference_id ?? '');
  if (checkoutId === undefined) return undefined;
  return {
    ...head,
    action: action === 'pay' && read.payment_status !== 'paid' ? 'await' : action,
    checkoutId,
    sessionId: read.id,
    paymentIntentId: read.payment_intent ?? null,
    amountNano: read.amount_total == null ? null : toNano(read.amount_total),
    currency: read.currency ?? null,
  };
}

function readRefundedCharge(head: Head, object: unknown): PaymentEvent | undefined {
  const { id: objectId, payment_intent: paymentIntentId, amount_refunded, currency } = charge.parse(object);
  if (paymentIntentId == null) return undefined;
  return {
    ...head,
    action: 'refund',
    objectId,
    paymentIntentId,
    amountNano: toNano(amount_refunded),
    currency,
  };
}

/** A refund can fail long after it has succeeded: what an event says of one is the state of that moment. */
function readRefund(head: Head, object: unknown): PaymentEvent | undefined {
  const { id: objectId, payment_intent: paymentIntentId, amount, currency, status } = refund.parse(object);
  if (paymentIntentId == null) return undefined;
  const hasFailed = head.type === 'refund.failed' || CAME_BACK.has(status ?? '');
  return {
    ...head,
    action: hasFailed ? 'refund_failed' : 'refund_made',
    objectId,
    paymentIntentId,
    amountNano: toNano(amount),
    currency,
  };
}

/** It takes the money at once, or later with an event of its own, or never. */
function readNewDispute(head: Head, object: unknown): PaymentEvent | undefined {
  return NOTHING_WITHDRAWN.test(dispute.parse(object).status)
    ? undefined
    : readDispute(head, object, 'dispute');
}

function readDispute(head: Head, object: unknown, action: 'dispute' | 'reinstate'): PaymentEvent | undefined {
  const { id: objectId, payment_intent: paymentIntentId, amount, currency } = dispute.parse(object);
  if (paymentIntentId == null) return undefined;
  return { ...head, action, objectId, paymentIntentId, amountNano: toNano(amount), currency };
}

function toNano(amountCents: number): NanoUsd {
  return toNanoUsd(BigInt(amountCents) * NANO_PER_CENT);
}
