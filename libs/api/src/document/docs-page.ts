import { toRoute } from '../operation';
import { serviceOperations } from '../service/operations';
import {
  CREDENTIALS,
  curlOf,
  docsPage,
  type DocsPage,
  firstStepsBlock,
  html,
  type Html,
  inline,
  prose,
  schemeOf,
  type ShownOperation,
} from './docs-layout';
import { buildDocument, type OpenApiDocument } from './document';
import { buildErrorDocs, ERROR_DOCS_PATH } from './error-docs';
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

export interface DocsOptions {
  /** The base URL of the API. */
  baseUrl: string;
  /** The operator's name for it. */
  name: string;
}

/**
 * The document as one page for people: first steps, and a folded overview to browse. Not a page built by Redoc or
 * Scalar: both draw it by a script, and the one that Redocly 2.77 builds loads that from a CDN and sets styles
 * inline, which takes the network and a Content-Security-Policy with `unsafe-inline`. This one has no script.
 */
export function buildDocsPage(document: OpenApiDocument, { baseUrl, name }: DocsOptions): DocsPage {
  const info = objectAt(document, 'info');
  const operations = operationsOf(document);
  const chapters = listAt(document, 'tags').map((tag) => ({
    name: textAt(tag, 'name'),
    description: textAt(tag, 'description'),
    operations: operations.filter(({ operation }) => tagOf(operation) === textAt(tag, 'name')),
  }));
  const title = `${name} API`;
  const navigation = html`<p>
      <a href="#top">${title}</a><br /><a href="#begin">Begin</a><br /><a href="/docs/errors">Errors</a
      ><br /><a href="/openapi.json">openapi.json</a>
    </p>
    ${chapters.map(
      (chapter) =>
        html`<b>${chapter.name}</b>
          <ul>
            ${chapter.operations.map(
              (shown) =>
                html`<li><a href="#${anchorOf(shown)}">${textAt(shown.operation, 'summary')}</a></li>`,
            )}
          </ul>`,
    )}<b><a href="#schemas">Schemas</a></b>`;
  const sections = chapters.map(
    (chapter) =>
      html`<h2>${chapter.name}</h2>
        <p>${inline(chapter.description)}</p>
        <section>${chapter.operations.map((shown) => operationEntry(document, shown, baseUrl))}</section>`,
  );
  const schemas = objectsIn(document.components.schemas).map(
    ([schemaName, schema]) =>
      html`<details>
        <summary>${schemaName}</summary>
        <div id="schema-${schemaName}">${prose(textAt(schema, 'description'))}${schemaBlock(schema)}</div>
      </details>`,
  );
  const main = html`<h1>${title}</h1>
    <p>Base URL: <code>${baseUrl}</code>, and <code>${baseUrl}/v1</code> for an OpenAI client.</p>
    ${prose(textAt(info, 'description'))}
    <h2 id="begin">Begin</h2>
    ${firstStepsBlock(baseUrl)} ${sections}
    <h2 id="schemas">Schemas</h2>
    <details>
      <summary>All ${schemas.length} of them</summary>
      <section>${schemas}</section>
    </details>`;
  return docsPage({ title, navigation, main });
}

function operationsOf(document: OpenApiDocument): ShownOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    objectsIn(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function tagOf({ tags }: ShownOperation['operation']): unknown {
  return Array.isArray(tags) ? tags[0] : undefined;
}

const anchorOf = ({ operation }: ShownOperation): string => textAt(operation, 'operationId');

/** The full description of one operation, folded. A link to its content opens it. */
function operationEntry(document: OpenApiDocument, shown: ShownOperation, baseUrl: string): Html {
  const { method, path, operation } = shown;
  return html`<details>
    <summary><b>${method}</b> <code>${path}</code> <small>${textAt(operation, 'summary')}</small></summary>
    <div id="${anchorOf(shown)}">
      ${prose(textAt(operation, 'description'))}
      <p><small>Credential: ${credentialOf(operation)}</small></p>
      <pre><code>${curlOf(shown, baseUrl)}</code></pre>
      ${parametersOf(operation)} ${requestOf(operation)}
      <h4>Responses</h4>
      ${objectsIn(objectAt(operation, 'responses')).map(([status, response]) => answerOf(document, status, resolve(document, response)))}
    </div>
  </details> `;
}

function credentialOf(operation: JsonObject): string {
  const scheme = schemeOf(operation);
  return scheme === undefined ? 'none' : (CREDENTIALS[scheme] ?? scheme);
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

/** A page of the reference, under the pattern of its route. */
function toDocument(path: string, { html: text, contentSecurityPolicy }: DocsPage, route = path) {
  const headers = { 'Content-Security-Policy': contentSecurityPolicy };
  return { path, route, contentType: 'text/html; charset=utf-8', text, headers };
}

/** The pages of both services that need no credential: `/openapi.json`, `/docs` and `/docs/errors`. */
export function buildPublicDocuments(options: DocsOptions) {
  const { getOpenApiDocument, getDocsPage } = serviceOperations;
  const document = buildDocument();
  const errorDocs = [...buildErrorDocs()].map(([path, page]) =>
    toDocument(path, page, path === ERROR_DOCS_PATH ? path : toRoute(serviceOperations.getErrorPage).path),
  );
  return [
    {
      path: getOpenApiDocument.path,
      route: getOpenApiDocument.path,
      contentType: 'application/json; charset=utf-8',
      text: JSON.stringify(document),
    },
    toDocument(getDocsPage.path, buildDocsPage(document, options)),
    ...errorDocs,
  ];
}
