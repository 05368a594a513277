import { isInvoiceNumber, toUnixSeconds, type InvoiceRecord, type InvoiceSummary } from '@farebox/contracts';
import type { Invoice, InvoiceHead, InvoiceLine } from '@farebox/invoices';
import { toDecimalUsd } from '@farebox/money';
import { invoiceNotFound } from '../../../use-cases/billing/invoices';

export function toInvoiceSummary(invoice: InvoiceHead): InvoiceSummary {
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

export function toInvoiceRecord(invoice: Invoice): InvoiceRecord {
  return {
    ...toInvoiceSummary(invoice),
    customer: { name: invoice.accountName, email: invoice.accountEmail },
    lines: invoice.lines.map(toLineRecord),
  };
}

/** The number that a path names. Throws what a missing invoice answers where it names none. */
export function readInvoiceNumber(params: Readonly<Record<string, unknown>>): string {
  const { number } = params;
  if (!isInvoiceNumber(number)) throw invoiceNotFound();
  return number;
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
