import { createHash } from 'node:crypto';
import type { Brand } from '@farebox/config';
import escapeHtml from 'escape-html';
import type { Facts } from './document-parties';

/** A document in the words and the order of its printed form, on paper and on a page. */
export interface ShownDocument {
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

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; color: #111; max-width: 50rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1.5rem; }
dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; white-space: pre-line; }
table { width: 100%; border-collapse: collapse; margin: 2rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.4rem 0.5rem; text-align: right; border-bottom: 1px solid #ccc; }
.lines { overflow-x: auto; }
th:first-child, td:first-child { text-align: left; } td { white-space: pre-line; }
tfoot th { border-bottom: 0; border-top: 2px solid #111; }
@media screen and (max-width: 40rem) { body { margin: 1rem auto; } table { font-size: 0.75rem; } th, td { padding: 0.3rem 0.2rem; } }
@media print { body { margin: 0; max-width: none; } tr { break-inside: avoid; } }
`;

/** The page runs no scripts and loads only its own style sheet and the operator's logo. */
export function documentPageHeaders({ logoUrl }: Pick<Brand, 'logoUrl'>): Readonly<Record<string, string>> {
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

/** A document as a single page to print. Every value is escaped. */
export function toDocumentPage({ brand, title, facts, columns, rows, total, notes }: ShownDocument): string {
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
<div class="lines" role="group" aria-label="Lines" tabindex="0"><table>
<thead><tr>${columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('')}</tr></thead>
<tbody>
${rows.map(row).join('\n')}
</tbody>
<tfoot><tr><th scope="row" colspan="${String(columns.length - 1)}">${escapeHtml(totalName)}</th><th>${escapeHtml(totalValue)}</th></tr></tfoot>
</table></div>
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
