import type { OpenApiDocument } from '../build/document';
import type { Json, JsonObject } from '../build/json';
import { html, inline, prose, type Html } from './html';
import { listAt, objectAt, objectsIn, resolve, textAt } from '../read';
import { typeOf } from './schema';

export interface ShownOperation {
  method: string;
  path: string;
  operation: JsonObject;
}

const CREDENTIALS: Readonly<Record<string, string>> = { apiKey: 'API key', session: 'session' };

export const anchorOf = ({ operation }: ShownOperation): string => textAt(operation, 'operationId');

/** All that the document says of one operation. */
export function operationSection(document: OpenApiDocument, shown: ShownOperation): Html {
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
