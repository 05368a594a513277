import {
  CHECKOUT_METADATA,
  type ClaimedTopUp,
  type StoredCard,
  toCheckoutReference,
  toFailureCode,
  type TopUpFailure,
  toTopUpFailure,
} from '@farebox/billing';
import { openStripe, toStripeCause } from '@farebox/billing/stripe';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@farebox/flow';
import { toWholeCents } from '@farebox/money';
import Stripe from 'stripe';
import type { StripeEvent } from './stripe-events';

/** `taken`: Stripe has the money, or is still taking it; its event tells when it has arrived. */
export type PaymentResult =
  { outcome: 'taken'; paymentIntentId: string; createdAt: Date } | ({ outcome: 'failed' } & TopUpFailure);

/** `unclear`: Stripe will not do under this key what was asked, and may have done so before. */
export type AskedPayment = PaymentResult | { outcome: 'unclear' };

/** Stripe's cards and the payments by them, without their customer. Each throws if Stripe cannot be asked. */
export interface StripeCards {
  /** The card entered on a page; `undefined` if none was, or it is gone. */
  findEnteredCard(setupIntentId: string): Promise<StoredCard | undefined>;
  /** The card as it is now; `undefined` if it was removed. */
  findCard(paymentMethodId: string): Promise<StoredCard | undefined>;
  /** Removes a card at Stripe. Nothing happens if it is gone. */
  forgetCard(paymentMethodId: string): Promise<void>;
  /**
   * Asks for the payment of an attempt, under its id: Stripe makes one payment at most, however often it is
   * asked within a day. If it throws, the payment may have been made.
   */
  pay(attempt: ClaimedTopUp): Promise<AskedPayment>;
  /** The payment of an attempt; `undefined` if Stripe has none. */
  findPayment(attempt: ClaimedTopUp): Promise<PaymentResult | undefined>;
  /** Stripe's event about a payment that succeeded, for a delivery that did not arrive. */
  findSuccess(payment: { paymentIntentId: string; createdAt: Date }): Promise<StripeEvent | undefined>;
}

const TIMEOUT_MS = 10_000;
const GONE: ReadonlySet<number | undefined> = new Set([400, 404]);
/** Stripe did not handle the request: https://docs.stripe.com/api/errors */
const REFUSED: ReadonlySet<number | undefined> = new Set([400, 401, 403, 404]);
const CLOCKS_DIFFER_MS = 5 * MINUTE_MS;
const MOST_EVENTS = 1_000;

export function openStripeCards({
  secretKey,
  apiUrl,
}: {
  secretKey: string;
  apiUrl: string | undefined;
}): StripeCards {
  const stripe = openStripe({ secretKey, apiUrl, timeoutMs: TIMEOUT_MS, retries: 0 });
  return {
    findEnteredCard: (id) =>
      asking(async () => {
        const { payment_method: method } = await stripe.setupIntents.retrieve(id, {
          expand: ['payment_method'],
        });
        return method === null || typeof method === 'string' ? undefined : toStoredCard(method);
      }),
    findCard: (id) =>
      asking(async () => {
        try {
          return toStoredCard(await stripe.paymentMethods.retrieve(id));
        } catch (error) {
          if (statusOf(error) === 404) return undefined;
          throw error;
        }
      }),
    forgetCard: (id) =>
      asking(async () => {
        try {
          await stripe.paymentMethods.detach(id);
        } catch (error) {
          if (!GONE.has(statusOf(error))) throw error;
        }
      }),
    pay: (attempt) => asking(() => pay(stripe, attempt)),
    findPayment: (attempt) => asking(() => findPayment(stripe, attempt)),
    findSuccess: (payment) => asking(() => findSuccess(stripe, payment)),
  };
}

async function pay(stripe: Stripe, attempt: ClaimedTopUp): Promise<AskedPayment> {
  try {
    const intent = await stripe.paymentIntents.create(
      {
        amount: toWholeCents(attempt.amountNano),
        currency: 'usd',
        customer: attempt.customerId,
        payment_method: attempt.paymentMethodId,
        allowed_payment_method_types: ['card'],
        off_session: true,
        confirm: true,
        metadata: { [CHECKOUT_METADATA]: toCheckoutReference(attempt) },
      },
      { idempotencyKey: attempt.id },
    );
    return toResult(intent);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) {
      const paymentIntentId = error.payment_intent?.id ?? null;
      return { outcome: 'failed', paymentIntentId, failure: toFailureCode(error), isDeclined: true };
    }
    if (isUnclear(error)) return { outcome: 'unclear' };
    if (REFUSED.has(statusOf(error)))
      return { outcome: 'failed', paymentIntentId: null, failure: 'not_accepted', isDeclined: false };
    throw error;
  }
}

/**
 * Stripe keeps the first response under a key, a failure of its own too, and refuses other fields under it:
 * https://docs.stripe.com/api/idempotent_requests
 */
function isUnclear(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeIdempotencyError) return true;
  return error instanceof Stripe.errors.StripeError && error.headers?.['idempotent-replayed'] === 'true';
}

async function findPayment(stripe: Stripe, attempt: ClaimedTopUp): Promise<PaymentResult | undefined> {
  const { paymentIntentId, customerId, requestedAt } = attempt;
  if (paymentIntentId !== null) return toResult(await stripe.paymentIntents.retrieve(paymentIntentId));
  const reference = toCheckoutReference(attempt);
  const since = toSeconds(requestedAt.getTime() - CLOCKS_DIFFER_MS);
  const made = stripe.paymentIntents.list({ customer: customerId, created: { gte: since }, limit: 100 });
  for await (const intent of made) {
    if (intent.metadata[CHECKOUT_METADATA] === reference) return toResult(intent);
  }
  return undefined;
}

async function findSuccess(
  stripe: Stripe,
  { paymentIntentId, createdAt }: { paymentIntentId: string; createdAt: Date },
): Promise<StripeEvent | undefined> {
  const createdMs = createdAt.getTime();
  const created = { gte: toSeconds(createdMs - MINUTE_MS), lte: toSeconds(createdMs + HOUR_MS) };
  let seen = 0;
  for await (const event of stripe.events.list({ type: 'payment_intent.succeeded', created, limit: 100 })) {
    if ((event.data.object as { id?: string }).id === paymentIntentId) return event;
    if (++seen >= MOST_EVENTS) break;
  }
  return undefined;
}

function toResult(intent: Stripe.PaymentIntent): PaymentResult {
  const failure = toTopUpFailure(intent);
  if (failure) return { outcome: 'failed', ...failure };
  return { outcome: 'taken', paymentIntentId: intent.id, createdAt: new Date(intent.created * SECOND_MS) };
}

/** A card without a customer cannot be charged: Stripe shows a removed one so. */
function toStoredCard({ id, customer, card }: Stripe.PaymentMethod): StoredCard | undefined {
  if (!card || customer === null) return undefined;
  return {
    paymentMethodId: id,
    customerId: typeof customer === 'string' ? customer : customer.id,
    brand: card.brand,
    lastFour: card.last4,
    expiryMonth: card.exp_month,
    expiryYear: card.exp_year,
  };
}

function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / SECOND_MS);
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Stripe.errors.StripeError ? error.statusCode : undefined;
}

async function asking<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    throw toStripeCause(error);
  }
}
