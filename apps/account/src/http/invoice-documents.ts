import type { Brand } from '@farebox/config';
import type { InvoiceRecord } from '@farebox/api';
import { SECOND_MS } from '@farebox/flow';
import { pricesOfLine } from './document-prices';
import { toPartyFacts } from './document-parties';
import { shownAmount } from './shown-amount';
import type { ShownDocument } from './shown-documents';

/** Kinds of tokens, with a column each if a line has any. */
const KINDS = [
  ['Cached', 'cached_tokens'],
  ['Cache writes', 'cache_write_tokens'],
  ['Reasoning', 'reasoning_tokens'],
] as const;

export function toShownInvoice(invoice: InvoiceRecord, brand: Brand): ShownDocument {
  const kinds = KINDS.filter(([, kind]) => invoice.lines.some((line) => line[kind] > 0));
  const issuedOn = new Date(invoice.issued_at * SECOND_MS).toISOString().slice(0, 10);
  return {
    brand,
    title: `Invoice ${invoice.number}`,
    facts: [
      ...toPartyFacts(invoice.customer, invoice.seller, brand),
      ['Month', `${invoice.month} (UTC)`],
      ['Issued on', issuedOn],
    ],
    columns: [
      ...['Model', 'Requests', 'Prompt tokens', 'Completion tokens'],
      ...[...kinds.map(([name]) => name), 'Price of 1M tokens (USD)', 'Amount (USD)'],
    ],
    rows: invoice.lines.map((line) => [
      line.type === 'refund' ? `${line.model}, refunded` : line.model,
      grouped(line.requests),
      grouped(line.prompt_tokens),
      grouped(line.completion_tokens),
      ...kinds.map(([, kind]) => grouped(line[kind])),
      pricesOfLine(line),
      shownAmount(line.amount),
    ]),
    total: ['Total', `${invoice.total_rounded} USD`],
    notes: [
      `The exact sum of the lines is ${shownAmount(invoice.total)} USD, rounded half up once.`,
      'Paid from the prepaid balance: nothing is due.',
      `Paid in during the month: ${shownAmount(invoice.top_ups)} USD.`,
      ...(brand.supportEmail === undefined ? [] : [`Questions: ${brand.supportEmail}`]),
    ],
  };
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
