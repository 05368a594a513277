import { createHash } from 'node:crypto';

/** HTML that is safe to put into a page: made by `html` alone, which escapes what it is given. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | undefined | readonly Part[];

/** A piece of a page. Text in it is escaped, other pieces are not. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((literal, i) => literal + (i < parts.length ? render(parts[i]) : '')).join(''));
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (isList(part)) return part.map(render).join('');
  return escape(String(part));
}

const isList = (part: Part): part is readonly Part[] => Array.isArray(part);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** The little of CommonMark that the descriptions use: paragraphs, **strong** and `code`. */
export function prose(text: string): Html {
  const paragraphs = text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);
  return html`${paragraphs}`;
}

/** One paragraph of `prose`, without its tags. */
export function inline(text: string): Html {
  const pieces = text.split(/(\*\*[^*]+\*\*|`[^`]+`)/);
  return html`${pieces.map((piece) => {
    if (piece.startsWith('**') && piece.length > 4)
      return html`<strong>${inline(piece.slice(2, -2))}</strong>`;
    if (piece.startsWith('`') && piece.length > 2) return html`<code>${piece.slice(1, -1)}</code>`;
    return html`${piece}`;
  })}`;
}

/** The whole style of the reference. Its hash is in the Content-Security-Policy of its pages. */
const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line); font-size: 0.9rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
main { padding: 1.5rem 2rem 6rem; max-width: 62rem; }
h2 { margin: 2rem 0 0.5rem; }
h3, h4 { margin: 0.8rem 0 0.3rem; }
section > details { border-top: 1px solid var(--line); }
section > details > summary { padding: 0.45rem 0; }
section > details[open] > summary { font-weight: 600; }
section > details > div { padding: 0 0 1.5rem 1rem; scroll-margin-top: 3rem; }
summary b { display: inline-block; min-width: 4.2rem; font-size: 0.8rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.6rem; border: 1px solid var(--line); }
pre { overflow: auto; max-height: 26rem; padding: 0.8rem; background: var(--soft); border: 1px solid var(--line); border-radius: 0.25rem; font-size: 0.85rem; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
pre code { overflow-wrap: normal; }
figure { margin: 0.5rem 0; }
figcaption, small { opacity: 0.8; font-size: 0.85rem; }
details { margin: 0.2rem 0; }
summary { cursor: pointer; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; } }
`;

/** Written as it is: what stands between the tags is what the policy has the hash of. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** Permits the page's own style by its hash, and nothing else: no script, and nothing from any host. */
const POLICY = `default-src 'none';style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}';base-uri 'none';form-action 'none';frame-ancestors 'none'`;

/** A page of the reference. */
export interface DocsPage {
  html: string;
  contentSecurityPolicy: string;
}

interface DocsContent {
  title: string;
  navigation: Html;
  main: Html;
}

/** A page for people: no script, no request beside the page itself. */
export function docsPage({ title, navigation, main }: DocsContent): DocsPage {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <nav>${navigation}</nav>
        <main id="top">${main}</main>
      </body>
    </html> `;
  return { html: page.text, contentSecurityPolicy: POLICY };
}
