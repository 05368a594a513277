import { createHash } from 'node:crypto';
import escapeHtml from 'escape-html';
import { type JsonObject, listAt, objectAt, objectsIn, textAt } from './json';

/** HTML that is safe in a page: created only by `html`, which escapes its values. */
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
  return escapeHtml(String(part));
}

const isList = (part: Part): part is readonly Part[] => Array.isArray(part);

/** The small part of CommonMark that the descriptions use: paragraphs, **strong** and `code`. */
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
:root { color-scheme: light dark; --line: light-dark(#e3e5e9, #2d3138); --soft: light-dark(#f5f6f8, #101215); --raised: light-dark(#fff, #16181c); background: light-dark(#f8f9fb, #111316); color: light-dark(#000, #c5cad1); }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif; display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line); background: var(--raised); font-size: 0.9rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav li a { display: block; min-height: 24px; padding: 2px 0; }
a { color: light-dark(#3f51c2, #8f9bea); }
a:not(:hover) { text-decoration-thickness: 1px; }
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
figcaption, small { color: light-dark(#5c636a, #a3abb5); font-size: 0.85rem; }
details { margin: 0.2rem 0; }
summary { cursor: pointer; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; max-height: 12rem; border-right: 0; border-bottom: 1px solid var(--line); } main { padding-inline: 1rem; } }
`;

/** Written verbatim: the policy has the hash of the text between the tags. */
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

/** A page for people: no script, no request besides the page itself. */
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
        <nav aria-label="Reference">
          <p><a href="/">← Console</a></p>
          ${navigation}
        </nav>
        <main id="top">${main}</main>
      </body>
    </html> `;
  return { html: page.text, contentSecurityPolicy: POLICY };
}

/** An operation with its method and path in the document. */
export interface ShownOperation {
  method: string;
  path: string;
  operation: JsonObject;
}

/** The variables of the shell that the commands read. */
const TOKENS: Readonly<Record<string, string>> = { apiKey: 'FAREBOX_API_KEY', session: 'FAREBOX_SESSION' };

/** The format of each credential. */
export const CREDENTIALS: Readonly<Record<string, string>> = {
  apiKey: 'API key (ak-…)',
  session: 'session (st-…)',
};

/** The security scheme of an operation; `undefined` if it takes no credential. */
export function schemeOf(operation: JsonObject): string | undefined {
  return Object.keys(listAt(operation, 'security')[0] ?? {})[0];
}

/** A command that calls an operation: its path's example ids, its first example of a body, its credential. */
export function curlOf({ method, path, operation }: ShownOperation, baseUrl: string): string {
  const body = exampleBody(operation);
  const scheme = schemeOf(operation);
  // curl sends a body by POST by default.
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  return [
    `curl ${isImplied ? '' : `-X ${method} `}'${baseUrl}${withExampleIds(path, operation)}'`,
    ...(scheme === undefined ? [] : [`-H "Authorization: Bearer $${TOKENS[scheme] ?? 'TOKEN'}"`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

function withExampleIds(path: string, operation: JsonObject): string {
  const parameters = listAt(operation, 'parameters');
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one['in'] === 'path' && one['name'] === name);
    return encodeURIComponent(parameter ? textAt(parameter, 'example') : name);
  });
}

function exampleBody(operation: JsonObject): string | undefined {
  const json = objectAt(objectAt(objectAt(operation, 'requestBody'), 'content'), 'application/json');
  const [first] = objectsIn(objectAt(json, 'examples'));
  return first && JSON.stringify(first[1]['value']);
}

/** Quotes a text as one word of the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Extracts one field from JSON in one line, with tools that every machine has. */
const fieldOf = (name: string): string => `sed -E 's/.*"${name}":"([^"]+)".*/\\1/'`;

/** Reads the list of models, and prints the id of the chat model whose two prices add up to the least. */
export const CHEAPEST_CHAT_MODEL = [
  `grep -oE '"id":"[^{}]*"kind":"chat","pricing":[{]"input":"[0-9.]*","output":"[0-9.]*"'`,
  `  | awk -F'"' '{ c = $(NF-5) + $(NF-1) } !m || c < least { m = $4; least = c } END { print m }'`,
].join(' \\\n');

const JSON_TYPE = `-H 'Content-Type: application/json'`;

interface Step {
  text: string;
  command: string;
}

/** From nothing to the first response of a model, in commands that can be pasted one after the other. */
function firstSteps(baseUrl: string): Step[] {
  return [
    {
      text: 'Ask for a link to sign in. It is mailed to the address if that was invited.',
      command: `curl '${baseUrl}/auth/links' ${JSON_TYPE} \\\n  -d '{"email":"you@example.com"}'`,
    },
    {
      text: 'The link in the mail ends in a token that begins with `lt-` and works once. In a browser it leads to the console. Here it becomes a session, `st-…`:',
      command: `FAREBOX_SESSION=$(curl -s '${baseUrl}/auth/sessions' ${JSON_TYPE} \\\n  -d '{"token":"lt-…"}' | ${fieldOf('session_token')})`,
    },
    {
      text: 'Make an API key, `ak-…`. It is shown this once.',
      command: `FAREBOX_API_KEY=$(curl -s '${baseUrl}/v1/api-keys' \\\n  -H "Authorization: Bearer $FAREBOX_SESSION" ${JSON_TYPE} \\\n  -d '{"name":"laptop"}' | ${fieldOf('key')})`,
    },
    {
      text: 'Take the cheapest chat model that the key may use, and ask it.',
      command: `MODEL=$(curl -s '${baseUrl}/v1/models' -H "Authorization: Bearer $FAREBOX_API_KEY" \\\n  | ${CHEAPEST_CHAT_MODEL})\ncurl '${baseUrl}/v1/chat/completions' \\\n  -H "Authorization: Bearer $FAREBOX_API_KEY" ${JSON_TYPE} \\\n  -d '{"model":"'"$MODEL"'","messages":[{"role":"user","content":"Hello"}]}'`,
    },
  ];
}

/** `firstSteps` for a reader. */
export function firstStepsBlock(baseUrl: string): Html {
  return html`<ol>
    ${firstSteps(baseUrl).map(
      ({ text, command }) =>
        html`<li>
          ${inline(text)}
          <pre><code>${command}</code></pre>
        </li>`,
    )}
  </ol>`;
}
