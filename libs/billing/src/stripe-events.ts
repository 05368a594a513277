import { fromPublicId, toPublicId } from '@farebox/auth';
import { NANO_PER_CENT, type NanoUsd, toNanoUsd } from '@farebox/money';
import { z } from 'zod';
import type { Checkout, PaymentEvent } from './payments';

// Stripe writes an event in the API version of its account at that time, not in that of the package, so only
// fields common to all versions are read, and validated.

/** Dispute states that withdraw no money: an inquiry, or one that Stripe prevented. */
const NOTHING_WITHDRAWN = /^(?:warning_|prevented$)/;

/**
 * Refund states whose money has come back. Source:
 * https://docs.stripe.com/api/refunds/object#refund_object-status
 */
const CAME_BACK: ReadonlySet<string> = new Set(['failed', 'canceled']);

const id = z.string().min(1).max(255);
/** The id of an object, or the expanded object if the webhook requests it. */
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

const CHECKOUT_PREFIX = 'chk';

/** The reference of a checkout at Stripe. */
export function toCheckoutReference({ id: checkoutId }: Pick<Checkout, 'id'>): string {
  return toPublicId(CHECKOUT_PREFIX, checkoutId);
}

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
  // The name in API versions before 2024-10-28.
  'charge.refund.updated': readRefund,
  'charge.dispute.created': readNewDispute,
  'charge.dispute.funds_withdrawn': (head, object) => readDispute(head, object, 'dispute'),
  'charge.dispute.funds_reinstated': (head, object) => readDispute(head, object, 'reinstate'),
};

/** Whether events of this type concern payments. */
export function isPaymentEventType(type: string): boolean {
  return Object.hasOwn(READERS, type);
}

/**
 * Reads an event that concerns a payment of this service; `undefined` if it does not. Throws if an event of a
 * known type lacks its fields.
 */
export function readStripeEvent(event: {
  id: string;
  type: string;
  data: { object: unknown };
}): PaymentEvent | undefined {
  const read = isPaymentEventType(event.type) ? READERS[event.type] : undefined;
  return read?.({ id: event.id, type: event.type }, event.data.object);
}

function readSession(head: Head, object: unknown, action: 'pay' | 'end'): PaymentEvent | undefined {
  const read = session.parse(object);
  // A session opened by another product on the same Stripe account has no checkout of ours.
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

/** A refund can fail long after it succeeded: an event reports the state at its own time. */
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

/** A dispute withdraws the money at once, later with its own event, or never. */
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
