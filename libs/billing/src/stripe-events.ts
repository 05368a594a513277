import { fromPublicId, toPublicId } from '@farebox/auth';
import { NANO_PER_CENT, type NanoUsd, toNanoUsd } from '@farebox/money';
import { z } from 'zod';
import type { Checkout, PaymentEvent } from './payments';
import { toTopUpFailure, type TopUpFailure } from './top-ups';

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
  mode: z.string().nullish(),
  client_reference_id: z.string().nullish(),
  setup_intent: reference.nullish(),
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

const intent = z.object({
  id,
  status: z.string(),
  amount: cents,
  amount_received: cents.nullish(),
  currency,
  metadata: z.record(z.string(), z.string()).nullish(),
  last_payment_error: z.object({ code: z.string().nullish(), decline_code: z.string().nullish() }).nullish(),
});
const identified = z.object({ id });

const CHECKOUT_PREFIX = 'chk';
const SETUP_PREFIX = 'card';

/** The field of a payment's metadata that names its checkout, for a payment without a session. */
export const CHECKOUT_METADATA = 'farebox_checkout';

/** The reference of a checkout at Stripe. */
export function toCheckoutReference({ id: checkoutId }: Pick<Checkout, 'id'>): string {
  return toPublicId(CHECKOUT_PREFIX, checkoutId);
}

/** The reference at Stripe of a page for a card. */
export function toSetupReference(setupId: string): string {
  return toPublicId(SETUP_PREFIX, setupId);
}

interface Head {
  /** `evt_…` */
  id: string;
  /** Stripe's type name. */
  type: string;
}

/** The payment of an automatic top-up failed, or cannot go on without its customer. */
export type TopUpFailureEvent = Head & TopUpFailure & { action: 'top_up_failed'; attemptId: string };

/** A customer entered a card on a page for it. */
export type CardEnteredEvent = Head & {
  action: 'card_entered';
  setupId: string;
  sessionId: string;
  /** `seti_…` */
  setupIntentId: string;
};

/** A card, or all cards of a customer at Stripe, changed or went away. */
export type CardChangedEvent = Head & { action: 'card_changed' } & (
    { paymentMethodId: string } | { customerId: string }
  );

export type StripeNews = PaymentEvent | TopUpFailureEvent | CardEnteredEvent | CardChangedEvent;

const readCard = (head: Head, object: unknown): StripeNews => ({
  ...head,
  action: 'card_changed',
  paymentMethodId: identified.parse(object).id,
});

const READERS: Readonly<Record<string, (head: Head, object: unknown) => StripeNews | undefined>> = {
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
  'charge.dispute.closed': readClosedDispute,
  'payment_intent.succeeded': readPayment,
  'payment_intent.payment_failed': readPayment,
  'payment_intent.requires_action': readPayment,
  'payment_intent.canceled': readPayment,
  'payment_method.detached': readCard,
  'payment_method.updated': readCard,
  'payment_method.automatically_updated': readCard,
  'customer.deleted': (head, object) => ({
    ...head,
    action: 'card_changed',
    customerId: identified.parse(object).id,
  }),
};

/** Whether events of this type concern payments, or the cards that make them. */
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
}): StripeNews | undefined {
  const read = isPaymentEventType(event.type) ? READERS[event.type] : undefined;
  return read?.({ id: event.id, type: event.type }, event.data.object);
}

function readSession(head: Head, object: unknown, action: 'pay' | 'end'): StripeNews | undefined {
  const read = session.parse(object);
  if (read.mode === 'setup') return action === 'pay' ? readEnteredCard(head, read) : undefined;
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

function readEnteredCard(
  head: Head,
  { id: sessionId, client_reference_id, setup_intent: setupIntentId }: z.output<typeof session>,
): CardEnteredEvent | undefined {
  const setupId = fromPublicId(SETUP_PREFIX, client_reference_id ?? '');
  if (setupId === undefined || setupIntentId == null) return undefined;
  return { ...head, action: 'card_entered', setupId, sessionId, setupIntentId };
}

/** A payment of a checkout with a session, or of another product, has no such metadata. */
function readPayment(head: Head, object: unknown): PaymentEvent | TopUpFailureEvent | undefined {
  const payment = intent.parse(object);
  const checkoutId = fromPublicId(CHECKOUT_PREFIX, payment.metadata?.[CHECKOUT_METADATA] ?? '');
  if (checkoutId === undefined) return undefined;
  if (head.type === 'payment_intent.succeeded') {
    const { id: paymentIntentId, amount_received: received, currency } = payment;
    const amountNano = received == null ? null : toNano(received);
    return { ...head, action: 'pay', checkoutId, sessionId: null, paymentIntentId, amountNano, currency };
  }
  const failed = toTopUpFailure(payment);
  return failed && { ...head, action: 'top_up_failed', attemptId: checkoutId, ...failed };
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

/** The end of an inquiry, which took nothing, and further ones say nothing of the money. */
function readClosedDispute(head: Head, object: unknown): PaymentEvent | undefined {
  const { status } = dispute.parse(object);
  if (status === 'won') return readDispute(head, object, 'reinstate');
  return status === 'lost' ? readDispute(head, object, 'lose') : undefined;
}

function readDispute(
  head: Head,
  object: unknown,
  action: 'dispute' | 'reinstate' | 'lose',
): PaymentEvent | undefined {
  const { id: objectId, payment_intent: paymentIntentId, amount, currency } = dispute.parse(object);
  if (paymentIntentId == null) return undefined;
  return { ...head, action, objectId, paymentIntentId, amountNano: toNano(amount), currency };
}

function toNano(amountCents: number): NanoUsd {
  return toNanoUsd(BigInt(amountCents) * NANO_PER_CENT);
}
