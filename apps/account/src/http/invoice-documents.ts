import { createHash } from 'node:crypto';
import type { Brand } from '@farebox/config';
import type { InvoiceRecord } from '@farebox/api';
import { SECOND_MS } from '@farebox/flow';
import escapeHtml from 'escape-html';
import { pricesOfLine } from './document-prices';
import { type Facts, toPartyFacts } from './document-parties';
import { shownAmount } from './shown-amount';

/** An invoice in the words and the order of its printed form, on paper and on a page. */
export interface ShownInvoice {
  /** The operator, who issues it. */
  brand: Brand;
  title: string;
  /** A value may have lines. */
  facts: Facts;
  columns: string[];
  rows: string[][];
  total: [name: string, value: string];
  notes: string[];
}

/** Kinds of tokens, with a column each if a line has any. */
const KINDS = [
  ['Cached', 'cached_tokens'],
  ['Cache writes', 'cache_write_tokens'],
  ['Reasoning', 'reasoning_tokens'],
] as const;

export function toShownInvoice(invoice: InvoiceRecord, brand: Brand): ShownInvoice {
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

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; color: #111; max-width: 50rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1.5rem; }
dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; white-space: pre-line; }
table { width: 100%; border-collapse: collapse; margin: 2rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.4rem 0.5rem; text-align: right; border-bottom: 1px solid #ccc; overflow-wrap: anywhere; }
th:first-child, td:first-child { text-align: left; } td { white-space: pre-line; }
tfoot th { border-bottom: 0; border-top: 2px solid #111; }
@media print { body { margin: 0; max-width: none; } tr { break-inside: avoid; } }
`;

/** The page runs no scripts and loads only its own style sheet and the operator's logo. */
export function invoicePageHeaders({ logoUrl }: Pick<Brand, 'logoUrl'>): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
      ...(logoUrl === undefined ? [] : [`img-src ${new URL(logoUrl).origin}`]),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join(';'),
  };
}

/** An invoice as a single page to print. Every value is escaped. */
export function toInvoicePage({ brand, title, facts, columns, rows, total, notes }: ShownInvoice): string {
  const row = (cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`;
  const [totalName, totalValue] = total;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${logoOf(brand)}<h1>${escapeHtml(title)}</h1>
<dl>
${facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join('\n')}
</dl>
<table>
<thead><tr>${columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('')}</tr></thead>
<tbody>
${rows.map(row).join('\n')}
</tbody>
<tfoot><tr><th scope="row" colspan="${String(columns.length - 1)}">${escapeHtml(totalName)}</th><th>${escapeHtml(totalValue)}</th></tr></tfoot>
</table>
${notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('\n')}
</body>
</html>
`;
}

function logoOf({ name, logoUrl }: Brand): string {
  return logoUrl === undefined
    ? ''
    : `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" height="48">\n`;
}
