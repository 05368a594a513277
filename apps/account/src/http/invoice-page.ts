import { createHash } from 'node:crypto';
import type { ShownInvoice } from './shown-invoice';

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; color: #111; max-width: 50rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1.5rem; }
dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; margin: 2rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.4rem 0.5rem; text-align: right; border-bottom: 1px solid #ccc; overflow-wrap: anywhere; }
th:first-child, td:first-child { text-align: left; }
tfoot th { border-bottom: 0; border-top: 2px solid #111; }
@media print { body { margin: 0; max-width: none; } tr { break-inside: avoid; } }
`;

/** The page runs nothing, loads nothing and asks nobody: the one style sheet in it is all that is let through. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join(';'),
};

/** An invoice as a page to print, in one piece. Every value is escaped. */
export function toInvoicePage({ title, facts, columns, rows, total, notes }: ShownInvoice): string {
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
<h1>${escapeHtml(title)}</h1>
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

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
