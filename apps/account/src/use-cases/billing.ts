import { type DatedPriceVersion, readPricesOfPeriod } from '@farebox/catalog';
import { ApiError } from '@farebox/errors';
import {
  createCheckout,
  findCheckout,
  findEarlierCheckout,
  findInvoice,
  listInvoices,
  notePaymentEvent,
  noteStripeSession,
  receiptNumbersOf,
  type Checkout,
  type CheckoutState,
  type Invoice,
  type InvoiceHead,
} from '@farebox/billing';
import {
  listEntries,
  listFundings,
  ownsEntry,
  ownsFunding,
  readBalance,
  type Balance,
  type EntryPage,
  type Funding,
  type LedgerEntry,
} from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';
import { requirePace } from '@farebox/accounts';
import { NANO_PER_CENT, toDecimalUsd, type NanoUsd } from '@farebox/money';
import { requireCursor } from './account';
import { keyOfEntry } from './exports';
import { withKeyNames, type Named } from './key-names';
import type { Sources } from './sources';

export function readOwnBalance(accountId: string, { pool }: Sources): Promise<Balance> {
  return readBalance(pool, accountId);
}

/**
 * A page of the account's ledger, plus one entry if there are more. Throws for a cursor of another ledger.
 */
export async function listTransactions(
  accountId: string,
  sources: Sources,
  { limit, ...page }: EntryPage,
  now: Date,
): Promise<Named<LedgerEntry>[]> {
  const { pool } = sources;
  await requireCursor(
    accountId,
    page.afterId,
    (owner, id) => ownsEntry(pool, owner, id),
    'id of a transaction',
  );
  const entries = await listEntries(pool, accountId, { limit: limit + 1, ...page });
  return withKeyNames(accountId, sources, entries, { keyOf: keyOfEntry, now });
}

/** A top-up with the number of its receipt. */
export interface OwnFunding extends Funding {
  receiptNumber: string | null;
}

/** A page of the account's top-ups, plus one if there are more. Throws for an invalid cursor. */
export async function listOwnFundings(
  accountId: string,
  { pool }: Sources,
  { limit, afterId }: { limit: number; afterId: string | undefined },
): Promise<OwnFunding[]> {
  await requireCursor(accountId, afterId, (owner, id) => ownsFunding(pool, owner, id), 'id of a top-up');
  const fundings = await listFundings(pool, accountId, { limit: limit + 1, afterId });
  const ids = fundings.map(({ id }) => id);
  const numbers = await receiptNumbersOf(pool, accountId, ids);
  return fundings.map((funding) => ({ ...funding, receiptNumber: numbers.get(funding.id) ?? null }));
}

/** The state of a card payment of the account. Throws the error of a missing one, also for another account's. */
export async function findOwnCheckout(
  accountId: string,
  { pool }: Sources,
  checkoutId: string,
): Promise<CheckoutState> {
  const checkout = await findCheckout(pool, accountId, checkoutId);
  if (!checkout) throw checkoutNotFound();
  return checkout;
}

/** The same error for a missing payment, another account's, and a malformed id. */
export function checkoutNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'checkout_id',
    message: 'There is no such payment.',
  });
}

/** A page of the account's invoices, plus one if there are more. Throws for an invalid cursor. */
export async function listOwnInvoices(
  accountId: string,
  { pool }: Sources,
  { limit, afterNumber }: { limit: number; afterNumber: string | undefined },
): Promise<InvoiceHead[]> {
  const owns = async (owner: string, number: string) =>
    (await findInvoice(pool, owner, number)) !== undefined;
  await requireCursor(accountId, afterNumber, owns, 'number of an invoice');
  return listInvoices(pool, accountId, { limit: limit + 1, afterNumber });
}

/** An invoice with the prices of its models that were in force in its month. */
export interface PricedInvoice extends Invoice {
  prices: ReadonlyMap<string, readonly DatedPriceVersion[]>;
}

/** One invoice of the account. Throws the error of a missing invoice, also for another account's. */
export async function findOwnInvoice(
  accountId: string,
  { pool }: Sources,
  number: string,
): Promise<PricedInvoice> {
  const invoice = await findInvoice(pool, accountId, number);
  if (!invoice) throw invoiceNotFound();
  const from = new Date(`${invoice.month}T00:00:00Z`);
  const until = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1));
  const modelIds = invoice.lines.map(({ modelId }) => modelId);
  return { ...invoice, prices: await readPricesOfPeriod(pool, modelIds, { from, until }) };
}

/** The same error for a missing invoice, another account's invoice, and a malformed number. */
export function invoiceNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'number',
    message: 'There is no such invoice.',
  });
}

/**
 * Records that the payment provider delivered an event: the worker fetches it. Throws `service_unavailable`
 * if too many wait; it is then delivered again.
 */
export async function receivePaymentEvent(
  { pool, log }: { pool: Pool; log: Logger },
  eventId: string,
): Promise<void> {
  const outcome = await notePaymentEvent(pool, eventId);
  const fields = { event: 'payment_notice', payment_event_id: eventId, outcome };
  log.info(fields, 'a payment event was delivered');
  if (outcome === 'full')
    throw new ApiError('service_unavailable', {
      cause: new Error('too many payment events wait for the worker'),
    });
}

/** Limits of a card payment. */
export interface TopUpBounds {
  minNano: NanoUsd;
  maxNano: NanoUsd;
}

/** A page of the payment provider for paying a checkout. */
export interface PaymentPage {
  sessionId: string;
  url: string;
  expiresAt: Date;
}

/** Creates the payment provider's page for a checkout. Throws `ApiError` if the provider does not respond. */
export type OpenPaymentPage = (checkout: Checkout) => Promise<PaymentPage>;

/**
 * Creates the payment provider's page to enter a card on, for a customer there if the account has one. Throws
 * `ApiError` if the provider does not respond.
 */
export type OpenCardPage = (setupId: string, customerId: string | undefined) => Promise<PaymentPage>;

export interface CardPayments {
  bounds: TopUpBounds;
  openPaymentPage: OpenPaymentPage;
  openCardPage: OpenCardPage;
}

const MOST_A_DAY = 20;

/**
 * Starts a card payment. It is recorded first, so that the provider's later events find it. Throws
 * `invalid_request_error` for an amount outside of the limits, `rate_limit_error` for too many in a day, and
 * `service_unavailable`.
 */
export async function startCheckout(
  accountId: string,
  { pool, card: { bounds, openPaymentPage } }: { pool: Pool; card: CardPayments },
  amountNano: NanoUsd,
  now: Date,
): Promise<{ checkout: Checkout; page: PaymentPage }> {
  requirePayable(amountNano, bounds);
  const earlier = await findEarlierCheckout(pool, accountId, MOST_A_DAY);
  requirePace(earlier, now, { mostADay: MOST_A_DAY, plural: 'checkouts' });
  const checkout = await createCheckout(pool, accountId, amountNano);
  const page = await openPaymentPage(checkout);
  await noteStripeSession(pool, accountId, checkout.id, page.sessionId);
  return { checkout, page };
}

/** Throws `invalid_request_error` for an amount that cannot or must not be charged to a card. */
export function requirePayable(amountNano: NanoUsd, { minNano, maxNano }: TopUpBounds): void {
  if (amountNano % NANO_PER_CENT === 0n && amountNano >= minNano && amountNano <= maxNano) return;
  throw new ApiError('invalid_request_error', {
    param: 'amount',
    message: `'amount' must be whole cents from ${cents(minNano)} to ${cents(maxNano)} dollars.`,
  });
}

function cents(amountNano: NanoUsd): string {
  return toDecimalUsd(amountNano).slice(0, -'0000000'.length);
}
