import { createHash } from 'node:crypto';
import { buildDocument, type OpenApiDocument } from './document';
import { html, Html, inline, prose } from './html';
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  objectsIn,
  referredName,
  resolve,
  textAt,
} from './json';

/** The whole of the page's style. Its hash is in the page's Content-Security-Policy. */
const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line); font-size: 0.9rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
main { padding: 1.5rem 2rem 6rem; max-width: 62rem; }
section { margin: 2rem 0; padding-top: 1rem; border-top: 1px solid var(--line); }
h2 { margin-top: 3rem; }
h3, h4 { margin: 0.5rem 0; }
.line b { padding: 0.1rem 0.5rem; border: 1px solid currentcolor; border-radius: 0.25rem; font-size: 0.85rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.6rem; border: 1px solid var(--line); }
pre { overflow: auto; max-height: 26rem; padding: 0.8rem; background: var(--soft); border: 1px solid var(--line); border-radius: 0.25rem; font-size: 0.85rem; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; }
figure { margin: 0.5rem 0; }
figcaption, small { opacity: 0.75; font-size: 0.85rem; }
details { margin: 0.4rem 0; }
summary { cursor: pointer; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; } }
`;

interface DocsPage {
  html: string;
  /** Permits the page's own style by its hash, and nothing else: no script, and nothing from any host. */
  contentSecurityPolicy: string;
}

/** Written as it is: what stands between the tags is what the policy has the hash of. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** The document as one page for people: no script, no request beside the page itself. */
export function buildDocsPage(document: OpenApiDocument): DocsPage {
  const info = objectAt(document, 'info');
  const operations = operationsOf(document);
  const chapters = listAt(document, 'tags').map((tag) => ({
    name: textAt(tag, 'name'),
    description: textAt(tag, 'description'),
    operations: operations.filter(({ operation }) => tagOf(operation) === textAt(tag, 'name')),
  }));
  const navigation = chapters.map(
    (chapter) =>
      html`<b>${chapter.name}</b>
        <ul>
          ${chapter.operations.map(
            (shown) => html`<li><a href="#${anchorOf(shown)}">${textAt(shown.operation, 'summary')}</a></li>`,
          )}
        </ul>`,
  );
  const sections = chapters.map(
    (chapter) =>
      html`<h2>${chapter.name}</h2>
        <p>${inline(chapter.description)}</p>
        ${chapter.operations.map((shown) => operationSection(document, shown))}`,
  );
  const schemas = objectsIn(document.components.schemas).map(
    ([name, schema]) =>
      html`<section id="schema-${name}">
        <h3>${name}</h3>
        ${prose(textAt(schema, 'description'))}${schemaBlock(schema)}
      </section>`,
  );
  const title = textAt(info, 'title');
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} API</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <nav>
          <p><a href="#top">${title} API</a><br /><a href="/openapi.json">openapi.json</a></p>
          ${navigation}<b>Schemas</b>
        </nav>
        <main id="top">
          <h1>${title} API</h1>
          ${prose(textAt(info, 'description'))} ${sections}
          <h2>Schemas</h2>
          ${schemas}
        </main>
      </body>
    </html> `;
  return { html: page.text, contentSecurityPolicy: policyFor(STYLE) };
}

function operationsOf(document: OpenApiDocument): ShownOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    objectsIn(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function tagOf({ tags }: ShownOperation['operation']): unknown {
  return Array.isArray(tags) ? tags[0] : undefined;
}

function policyFor(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none';style-src 'sha256-${hash}';base-uri 'none';form-action 'none';frame-ancestors 'none'`;
}

interface ShownOperation {
  method: string;
  path: string;
  operation: JsonObject;
}

const CREDENTIALS: Readonly<Record<string, string>> = { apiKey: 'API key', session: 'session' };

const anchorOf = ({ operation }: ShownOperation): string => textAt(operation, 'operationId');

/** All that the document says of one operation. */
function operationSection(document: OpenApiDocument, shown: ShownOperation): Html {
  const { method, path, operation } = shown;
  return html`<section id="${anchorOf(shown)}">
    <h3>${textAt(operation, 'summary')}</h3>
    <p class="line"><b>${method}</b> <code>${path}</code> <small>${credentialOf(operation)}</small></p>
    ${prose(textAt(operation, 'description'))} ${parametersOf(operation)} ${requestOf(operation)}
    <h4>Answers</h4>
    ${objectsIn(objectAt(operation, 'responses')).map(([status, response]) => answerOf(document, status, resolve(document, response)))}
  </section> `;
}

function credentialOf(operation: JsonObject): string {
  const [first] = listAt(operation, 'security');
  const [scheme] = Object.keys(first ?? {});
  return scheme === undefined ? 'no credential' : (CREDENTIALS[scheme] ?? scheme);
}

function parametersOf(operation: JsonObject): Html | undefined {
  const rows = listAt(operation, 'parameters').map((parameter) => {
    const where = `${textAt(parameter, 'in')}${parameter['required'] === true ? ', required' : ''}`;
    return html`<tr>
      <td><code>${textAt(parameter, 'name')}</code> <small>${where}</small></td>
      <td>${typeOf(objectAt(parameter, 'schema'))}</td>
      <td>${inline(textAt(parameter, 'description'))}</td>
    </tr>`;
  });
  if (rows.length === 0) return undefined;
  return html`<h4>Parameters</h4>
    <table>
      <tbody>
        ${rows}
      </tbody>
    </table>`;
}

function requestOf(operation: JsonObject): Html | undefined {
  const body = objectAt(operation, 'requestBody');
  const contents = objectsIn(objectAt(body, 'content'));
  if (contents.length === 0) return undefined;
  const mark = body['required'] === true ? undefined : html` <small>optional</small>`;
  return html`<h4>Request body${mark}</h4>
    ${contents.map(([mediaType, content]) => contentOf(mediaType, content))}`;
}

function answerOf(document: OpenApiDocument, status: string, response: JsonObject): Html {
  const isGood = status.startsWith('2');
  const headers = objectsIn(objectAt(response, 'headers')).map(([name, header]) => {
    const { description } = resolve(document, header);
    return html`<tr>
      <td><code>${name}</code></td>
      <td>${inline(typeof description === 'string' ? description : '')}</td>
    </tr>`;
  });
  const contents = objectsIn(objectAt(response, 'content'));
  return html`<details${isGood ? html` open` : undefined}><summary><b>${status}</b> ${inline(
    textAt(response, 'description').replaceAll('\n\n', ' '),
  )}</summary>
${contents.map(([mediaType, content]) => contentOf(mediaType, content))}
<details><summary>headers</summary><table><tbody>${headers}</tbody></table></details></details>`;
}

function contentOf(mediaType: string, content: JsonObject): Html {
  const examples = objectsIn(objectAt(content, 'examples')).map(
    ([name, { value }]) =>
      html`<figure>
        <figcaption>${name.replaceAll('_', ' ')}</figcaption>
        <pre>${shownValue(value)}</pre>
      </figure>`,
  );
  return html`<p><code>${mediaType}</code>: ${typeOf(objectAt(content, 'schema'))}</p>
    ${examples}`;
}

function shownValue(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

/** Fields deeper than this are shown as JSON Schema. */
const DEEPEST = 3;

/** A schema for a reader: its type in words, and the fields of an object as a table. */
function schemaBlock(schema: JsonObject, depth = 0): Html {
  const fields = objectsIn(objectAt(schema, 'properties'));
  if (fields.length === 0) return html`<p>${typeOf(schema)}</p>`;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const rows = fields.map(([name, field]) => fieldRow(name, field, required.includes(name), depth));
  return html`<table>
    <thead>
      <tr>
        <th>field</th>
        <th>type</th>
        <th>about</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function fieldRow(name: string, field: JsonObject, isRequired: boolean, depth: number): Html {
  const mark = isRequired ? html`` : html` <small>optional</small>`;
  return html`<tr>
    <td><code>${name}</code>${mark}</td>
    <td>${typeOf(field)}</td>
    <td>${inline(textAt(field, 'description'))}${nested(field, depth)}</td>
  </tr>`;
}

/** The objects inside of a field, folded. */
function nested(field: JsonObject, depth: number): Html | undefined {
  const inner = [field, objectAt(field, 'items'), ...alternatives(field)].filter(
    (schema) => Object.keys(objectAt(schema, 'properties')).length > 0,
  );
  if (inner.length === 0) return undefined;
  const shown =
    depth >= DEEPEST ? rawSchema(field) : html`${inner.map((schema) => schemaBlock(schema, depth + 1))}`;
  return html`<details>
    <summary>fields</summary>
    ${shown}
  </details>`;
}

const rawSchema = (schema: JsonObject): Html => html`<pre>${JSON.stringify(schema, undefined, 2)}</pre>`;

const alternatives = (schema: JsonObject): JsonObject[] => [
  ...listAt(schema, 'anyOf'),
  ...listAt(schema, 'oneOf'),
];

/** The type in words, with its bounds: `integer, 1 to 100`. A named schema is a link. */
function typeOf(schema: JsonObject): Html {
  const name = referredName(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  const choices = alternatives(schema);
  if (choices.length > 0) return joined(choices.map(typeOf), ' or ');
  if (schema['const'] !== undefined) return html`<code>${JSON.stringify(schema['const'])}</code>`;
  const allowed = schema['enum'];
  if (Array.isArray(allowed)) {
    return joined(
      allowed.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ' | ',
    );
  }
  const items = schema['items'];
  if (isObject(items)) return html`list of ${typeOf(items)}`;
  return html`${wordsOf(schema['type'])}${boundsOf(schema)}`;
}

function wordsOf(type: Json | undefined): string {
  if (Array.isArray(type)) return type.map(shown).join(' or ');
  return typeof type === 'string' ? type : 'anything';
}

function boundsOf({ minimum, maximum, maxLength, default: usual }: JsonObject): string {
  return rangeOf(minimum, maximum, maxLength) + (usual === undefined ? '' : `; default ${shown(usual)}`);
}

function rangeOf(minimum: Json | undefined, maximum: Json | undefined, maxLength: Json | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${shown(minimum)} to ${shown(maximum)}`;
  return maxLength === undefined ? '' : `, at most ${shown(maxLength)} characters`;
}

const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

function joined(pieces: Html[], separator: string): Html {
  return html`${pieces.map((piece, i) => (i === 0 ? piece : html`${separator}${piece}`))}`;
}

/** What both services show of themselves, without a credential: at `/openapi.json` and `/docs`. */
export function buildPublicDocuments() {
  const document = buildDocument();
  const page = buildDocsPage(document);
  return [
    {
      path: '/openapi.json',
      contentType: 'application/json; charset=utf-8',
      text: JSON.stringify(document),
    },
    {
      path: '/docs',
      contentType: 'text/html; charset=utf-8',
      text: page.html,
      headers: { 'Content-Security-Policy': page.contentSecurityPolicy },
    },
  ];
}
