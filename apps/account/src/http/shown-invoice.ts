import type { InvoiceRecord } from '@farebox/contracts';

/** An invoice in the words and the order in which it is printed, on paper and on a page. */
export interface ShownInvoice {
  title: string;
  facts: [name: string, value: string][];
  columns: string[];
  rows: string[][];
  total: [name: string, value: string];
  notes: string[];
}

const MS_PER_SECOND = 1_000;

export function toShownInvoice(invoice: InvoiceRecord): ShownInvoice {
  const issuedOn = new Date(invoice.issued_at * MS_PER_SECOND).toISOString().slice(0, 10);
  return {
    title: `Invoice ${invoice.number}`,
    facts: [
      ['Customer', invoice.customer.name],
      ['E-mail', invoice.customer.email],
      ['Month', `${invoice.month} (UTC)`],
      ['Issued on', issuedOn],
    ],
    columns: ['Model', 'Requests', 'Prompt tokens', 'Completion tokens', 'Amount (USD)'],
    rows: invoice.lines.map((line) => [
      line.type === 'refund' ? `${line.model}, refunded` : line.model,
      grouped(line.requests),
      grouped(line.prompt_tokens),
      grouped(line.completion_tokens),
      shownAmount(line.amount),
    ]),
    total: ['Total', `${shownAmount(invoice.total)} USD`],
    notes: [
      'Paid from the prepaid balance: nothing is due.',
      `Paid in during the month: ${shownAmount(invoice.top_ups)} USD.`,
    ],
  };
}

/** Every digit that says something, and at least the cents: `"0.000010500"` is `0.0000105`, `"5.000000000"` is `5.00`. */
export function shownAmount(amount: string): string {
  return amount.replace(/(\.\d{2}\d*?)0+$/, '$1');
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
