import { fromPublicId, toPublicId } from '@farebox/auth';
import type { InvoiceHead, InvoiceLine } from '@farebox/billing';
import type { DatedPriceVersion } from '@farebox/catalog';
import type { Brand } from '@farebox/config';
import {
  isInvoiceNumber,
  toListPage,
  toPricing,
  toUnixSeconds,
  type BalanceRecord,
  type CheckoutRecord,
  type CheckoutStatus,
  type FundingList,
  type FundingMethod,
  type FundingRecord,
  type InvoiceRecord,
  type InvoiceSummary,
  type TransactionRecord,
} from '@farebox/api';
import { billingOperations, fundingOperations, invoiceOperations } from '@farebox/api/operations';
import { ApiError } from '@farebox/errors';
import { readJsonBodyWithBytes } from '@farebox/http';
import type { LedgerEntry } from '@farebox/ledger';
import { byTokenColumn, toCentsUsd, toDecimalUsd, toNanoUsd } from '@farebox/money';
import type { UseCases } from '../use-cases/bind-use-cases';
import {
  checkoutNotFound,
  invoiceNotFound,
  type OwnFunding,
  type PricedInvoice,
  type TopUpBounds,
} from '../use-cases/billing';
import type { Named } from '../use-cases/key-names';
import { toBuyerRecord } from './billing-details';
import { columnsOf, csvFileName, mapPages, timeColumns, toCsv, toCsvPieces, type CsvColumn } from './csv';
import { on, onOpen, type Endpoint, type OpenEndpoint } from './endpoint';
import { toShownInvoice } from './invoice-documents';
import { replyAs } from './reply-as';

const operations = { ...billingOperations, ...fundingOperations, ...invoiceOperations };

/** `/v1/billing`, except invoices. Checkouts require card payments to be configured. */
export function billingEndpoints(
  { billing, card }: Pick<UseCases, 'billing' | 'card'>,
  brand: Brand,
): Endpoint[] {
  const methods: FundingMethod[] = [{ type: 'manual' }, ...(card ? [toCardMethod(card.bounds)] : [])];
  return [
    on(operations.getBalance, async ({ accountId }) => {
      const { balanceNano, heldNano, availableNano } = await billing.readOwnBalance(accountId);
      const body: BalanceRecord = {
        object: 'balance',
        currency: 'usd',
        balance: toDecimalUsd(balanceNano),
        held: toDecimalUsd(heldNano),
        available: toDecimalUsd(availableNano),
      };
      return { body };
    }),

    // As CSV, it is whole without a limit.
    on(operations.listTransactions, async ({ accountId, now, query, filter, wants }) => {
      const { limit, after, type, start, end } = filter;
      const range = { afterId: after, kind: type, start, end };
      const fileName = csvFileName(brand, 'transactions', filter, now);
      if (wants === 'text/csv' && query['limit'] === undefined) {
        const pages = mapPages(await billing.exportTransactions(accountId, range, now), toTransactionRecord);
        return { document: { mediaType: wants, content: toCsvPieces(TRANSACTION_COLUMNS, pages), fileName } };
      }
      const entries = await billing.listTransactions(accountId, { ...range, limit }, now);
      const body = toListPage(entries.map(toTransactionRecord), limit, (record) => record.id);
      if (wants !== 'text/csv') return { body };
      const content = await toCsv(TRANSACTION_COLUMNS, body.data);
      return { document: { mediaType: wants, content, fileName } };
    }),

    on(operations.listFunding, async ({ accountId, filter: { limit, after } }) => {
      const fundings = await billing.listOwnFundings(accountId, { limit, afterId: after });
      const page = toListPage(fundings.map(toFundingRecord), limit, (record) => record.id);
      const body: FundingList = { ...page, methods };
      return { body };
    }),

    ...(card
      ? [
          on(operations.createCheckout, async ({ accountId, now, body: { amount } }) => {
            const { checkout, page } = await card.startCheckout(accountId, amount, now);
            const body: CheckoutRecord = {
              object: 'checkout',
              id: toPublicId('chk', checkout.id),
              url: page.url,
              amount: toDecimalUsd(checkout.amountNano),
              currency: 'usd',
              created_at: toUnixSeconds(checkout.createdAt),
              expires_at: toUnixSeconds(page.expiresAt),
            };
            return { body };
          }),

          on(operations.getCheckout, async ({ accountId, params: { checkout_id: publicId } }) => {
            const id = typeof publicId === 'string' ? fromPublicId('chk', publicId) : undefined;
            if (id === undefined) throw checkoutNotFound();
            const checkout = await billing.findOwnCheckout(accountId, id);
            const body: CheckoutStatus = {
              object: 'checkout_status',
              id: toPublicId('chk', id),
              status: checkout.status,
              amount: toDecimalUsd(checkout.amountNano),
              currency: 'usd',
              receipt_number: checkout.receiptNumber,
              created_at: toUnixSeconds(checkout.createdAt),
            };
            return { body };
          }),
        ]
      : []),
  ];
}

/** A ledger entry as its account sees it: amounts that leave the customer's balance are negative. */
function toTransactionRecord(entry: Named<LedgerEntry>): TransactionRecord {
  const amountNano = entry.toBook === 'customer' ? entry.amountNano : toNanoUsd(0n - entry.amountNano);
  return {
    object: 'transaction',
    id: toPublicId('txn', entry.id),
    type: entry.kind,
    amount: toDecimalUsd(amountNano),
    currency: 'usd',
    balance_after: toDecimalUsd(entry.balanceAfterNano),
    refunded_transaction_id: entry.refundedEntryId === null ? null : toPublicId('txn', entry.refundedEntryId),
    usage_id: entry.request && toPublicId('chatcmpl', entry.request.id),
    request_id: entry.request?.requestId ?? null,
    model: entry.request?.modelId ?? null,
    key_public_id: entry.request && toPublicId('key', entry.request.apiKeyId),
    key_name: entry.keyName,
    created_at: toUnixSeconds(entry.createdAt),
  };
}

const TRANSACTION_COLUMNS: readonly CsvColumn<TransactionRecord>[] = [
  ...columnsOf(['id']),
  ...timeColumns('created_at'),
  ...columnsOf(['type', 'amount', 'currency', 'balance_after', 'refunded_transaction_id']),
  ...columnsOf(['usage_id', 'request_id', 'model', 'key_public_id', 'key_name']),
];

/** A top-up as its account sees it. Its ledger entry has the same id. */
export function toFundingRecord({
  id,
  method,
  amountNano,
  createdAt,
  receiptNumber,
}: OwnFunding): FundingRecord {
  return {
    object: 'funding',
    id: toPublicId('fund', id),
    method,
    amount: toDecimalUsd(amountNano),
    currency: 'usd',
    transaction_id: toPublicId('txn', id),
    receipt_number: receiptNumber,
    created_at: toUnixSeconds(createdAt),
  };
}

function toCardMethod({ minNano, maxNano }: TopUpBounds): FundingMethod {
  return {
    type: 'card',
    min_amount: toDecimalUsd(minNano),
    max_amount: toDecimalUsd(maxNano),
    currency: 'usd',
  };
}

/** `/v1/billing/invoices`: each as JSON, as a page to print, or as a PDF. */
export function invoiceEndpoints(invoices: UseCases['invoices'], brand: Brand): Endpoint[] {
  return [
    on(operations.listInvoices, async ({ accountId, filter: { limit, after } }) => {
      const found = await invoices.listOwnInvoices(accountId, { limit, afterNumber: after });
      return { body: toListPage(found.map(toInvoiceSummary), limit, (record) => record.number) };
    }),

    on(operations.getInvoice, async ({ accountId, params, wants }) => {
      const invoice = await invoices.findOwnInvoice(accountId, readInvoiceNumber(params));
      const record = toInvoiceRecord(invoice);
      return replyAs(wants, record, toShownInvoice(record, brand));
    }),
  ];
}

function toInvoiceSummary(invoice: InvoiceHead): InvoiceSummary {
  return {
    object: 'invoice',
    number: invoice.number,
    month: invoice.month.slice(0, 'yyyy-mm'.length),
    total: toDecimalUsd(invoice.totalNano),
    total_rounded: toCentsUsd(invoice.totalNano),
    top_ups: toDecimalUsd(invoice.topUpsNano),
    currency: 'usd',
    issued_at: toUnixSeconds(invoice.issuedAt),
  };
}

function toInvoiceRecord(invoice: PricedInvoice): InvoiceRecord {
  return {
    ...toInvoiceSummary(invoice),
    customer: toBuyerRecord({ name: invoice.accountName, email: invoice.accountEmail }, invoice.buyer),
    seller: invoice.seller,
    lines: invoice.lines.map((line) =>
      toLineRecord(line, line.kind === 'usage' ? (invoice.prices.get(line.modelId) ?? []) : []),
    ),
  };
}

function toLineRecord(
  line: InvoiceLine,
  prices: readonly DatedPriceVersion[],
): InvoiceRecord['lines'][number] {
  return {
    type: line.kind,
    model: line.modelId,
    requests: Number(line.requests),
    prompt_tokens: Number(line.promptTokens),
    completion_tokens: Number(line.completionTokens),
    ...byTokenColumn((kind) => Number(line[kind])),
    prices: prices.map((price) => ({ ...toPricing(price), starts_at: toUnixSeconds(price.startsAt) })),
    amount: toDecimalUsd(line.amountNano),
  };
}

/** The invoice number in a path. Throws the error of a missing invoice if it is malformed. */
function readInvoiceNumber({ number }: Readonly<Record<string, unknown>>): string {
  if (!isInvoiceNumber(number)) throw invoiceNotFound();
  return number;
}

/** The time and the signature in Stripe's header. Source: https://docs.stripe.com/webhooks#verify-manually */
const [SIGNED_AT, SIGNATURE] = [/(?:^|,)t=\d{1,12}(?:,|$)/, /(?:^|,)v1=[0-9a-f]{64}(?:,|$)/];

/** Throws `invalid_request_error` if the header cannot contain a signature, before the body is read. */
function requireSignatureForm(header = ''): void {
  if (SIGNED_AT.test(header) && SIGNATURE.test(header)) return;
  throw new ApiError('invalid_request_error', { message: 'The signature is not valid.' });
}

/**
 * The largest events have some ten kilobytes. The signature covers the whole body, so nothing can be verified
 * before it is read.
 */
const BODY_LIMITS = { maxBytes: 256 * 1024, maxDepth: 64, maxValues: 32_768 };

/**
 * Called only by Stripe, which signs the bytes of the body. Returns 200 once the event is noted; after any
 * other response, Stripe delivers it again for three days.
 */
export function stripeWebhookEndpoint(
  readDelivery: (body: Buffer, signature: string | undefined) => string | undefined,
  receive: (eventId: string) => Promise<void>,
): OpenEndpoint {
  return onOpen(fundingOperations.receiveStripeEvent, async (req, room) => {
    const signature = req.get('stripe-signature');
    requireSignatureForm(signature);
    const { bytes } = await readJsonBodyWithBytes(req, BODY_LIMITS, room);
    const eventId = readDelivery(bytes, signature);
    if (eventId !== undefined) await receive(eventId);
    return { status: 200, body: { received: true } };
  });
}
