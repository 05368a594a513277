import {
  isInvoiceNumber,
  toListPage,
  toUnixSeconds,
  type InvoiceRecord,
  type InvoiceSummary,
} from '@farebox/contracts';
import type { Invoice, InvoiceHead, InvoiceLine } from '@farebox/invoices';
import { toDecimalUsd } from '@farebox/money';
import { invoiceOperations as operations } from '@farebox/openapi';
import { findOwnInvoice, invoiceNotFound, listOwnInvoices, type Billing } from '../use-cases/billing';
import { on, type Endpoint, type MediaType, type Reply } from './endpoint';
import { PAGE_HEADERS, toInvoicePage } from './invoice-page';
import { toInvoicePdf } from './invoice-pdf';
import { toShownInvoice } from './shown-invoice';

/** `/v1/billing/invoices`: one of them as JSON, as a page to print, or as a PDF. */
export function invoiceEndpoints(billing: Billing): Endpoint[] {
  return [
    on(operations.listInvoices, async ({ accountId, filter: { limit, after } }) => {
      const invoices = await listOwnInvoices(accountId, billing, { limit, afterNumber: after });
      return { body: toListPage(invoices.map(toInvoiceSummary), limit, (record) => record.number) };
    }),

    on(operations.getInvoice, async ({ accountId, params, wants }) => {
      const invoice = await findOwnInvoice(accountId, billing, readInvoiceNumber(params));
      return replyAs(wants, toInvoiceRecord(invoice));
    }),
  ];
}

async function replyAs(mediaType: MediaType, record: InvoiceRecord): Promise<Reply> {
  if (mediaType === 'text/html') {
    const content = toInvoicePage(toShownInvoice(record));
    return { document: { mediaType, content, headers: PAGE_HEADERS } };
  }
  if (mediaType === 'application/pdf') {
    const content = await toInvoicePdf(toShownInvoice(record));
    return { document: { mediaType, content, fileName: `${record.number}.pdf` } };
  }
  return { body: record };
}

function toInvoiceSummary(invoice: InvoiceHead): InvoiceSummary {
  return {
    object: 'invoice',
    number: invoice.number,
    month: invoice.month.slice(0, 'yyyy-mm'.length),
    total: toDecimalUsd(invoice.totalNano),
    top_ups: toDecimalUsd(invoice.topUpsNano),
    currency: 'usd',
    issued_at: toUnixSeconds(invoice.issuedAt),
  };
}

function toInvoiceRecord(invoice: Invoice): InvoiceRecord {
  return {
    ...toInvoiceSummary(invoice),
    customer: { name: invoice.accountName, email: invoice.accountEmail },
    lines: invoice.lines.map(toLineRecord),
  };
}

function toLineRecord(line: InvoiceLine): InvoiceRecord['lines'][number] {
  return {
    type: line.kind,
    model: line.modelId,
    requests: Number(line.requests),
    prompt_tokens: Number(line.promptTokens),
    completion_tokens: Number(line.completionTokens),
    amount: toDecimalUsd(line.amountNano),
  };
}

/** The number that a path names. Throws what a missing invoice answers if it names none. */
function readInvoiceNumber({ number }: Readonly<Record<string, unknown>>): string {
  if (!isInvoiceNumber(number)) throw invoiceNotFound();
  return number;
}
