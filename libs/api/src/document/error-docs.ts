import { ERROR_CODES, type ErrorCode } from '@farebox/errors';
import { serviceOperations } from '../service/operations';
import { docsPage, type DocsPage, html, type Html, inline, prose } from './docs-layout';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
export const ERROR_DOCS_PATH = serviceOperations.getErrorDocs.path;

/** The public part of errors, as pages by path: the table of all of them, and each code. */
export function buildErrorDocs(): Map<string, DocsPage> {
  const pages = CODES.map((code) => [`${ERROR_DOCS_PATH}/${code}`, codePage(code)] as const);
  return new Map([[ERROR_DOCS_PATH, indexPage()], ...pages]);
}

const NAVIGATION: Html = html`<p><a href="/docs">Reference</a><br /><a href="/docs/errors">Errors</a></p>
  <ul>
    ${CODES.map((code) => html`<li><a href="/docs/errors/${code}">${code}</a></li>`)}
  </ul>`;

function codePage(code: ErrorCode): DocsPage {
  const { status, type, retryable, message, when, remedy } = ERROR_CODES[code];
  return docsPage({
    title: code,
    navigation: NAVIGATION,
    main: html`<h1>${code}</h1>
      <table>
        <tbody>
          <tr>
            <td>HTTP status</td>
            <td>${status}</td>
          </tr>
          <tr>
            <td>type</td>
            <td><code>${type}</code></td>
          </tr>
          <tr>
            <td>may be retried as it is</td>
            <td>${retryable ? 'yes' : 'no'}</td>
          </tr>
          <tr>
            <td>default message</td>
            <td>${message}</td>
          </tr>
        </tbody>
      </table>
      <h2>When</h2>
      ${prose(when)}
      <h2>What to do</h2>
      ${prose(remedy)}`,
  });
}

const EXAMPLE = `{ "error": { "message": "…", "type": "invalid_request_error", "param": "messages", "code": "invalid_request_error" } }`;

function indexPage(): DocsPage {
  const rows = CODES.map((code) => {
    const { status, type, retryable } = ERROR_CODES[code];
    return html`<tr>
      <td>${status}</td>
      <td>
        <a href="/docs/errors/${code}"><code>${code}</code></a>
      </td>
      <td><code>${type}</code></td>
      <td>${retryable ? 'yes' : 'no'}</td>
    </tr>`;
  });
  return docsPage({
    title: 'Errors',
    navigation: NAVIGATION,
    main: html`<h1>Errors</h1>
      <p>
        ${inline(
          'Every failed request is answered with the same envelope, whose `code` and `type` come from a closed set. Branch on `code`; `message` is for people and may be reworded at any time. The header `Link` names the page of the code, `x-should-retry` says whether a program may send the request again, and `X-Service-Request-Id` is what the operator can look up.',
        )}
      </p>
      <pre>${EXAMPLE}</pre>
      <table>
        <thead>
          <tr>
            <th>HTTP</th>
            <th>code</th>
            <th>type</th>
            <th>may be sent again</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>`,
  });
}
