import { html, type Html, inline } from './docs-layout';
import { type JsonObject, listAt, objectAt, objectsIn, textAt } from './json';

/** An operation with the method and the path under which the document has it. */
export interface ShownOperation {
  method: string;
  path: string;
  operation: JsonObject;
}

/** The variables of the shell that the commands read. */
const TOKENS: Readonly<Record<string, string>> = { apiKey: 'FAREBOX_API_KEY', session: 'FAREBOX_SESSION' };

/** What each credential looks like. */
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
  // curl sends a body by POST unless it is told otherwise.
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

/** A text as one word of the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Takes one field out of JSON in one line, with what every machine has. */
const fieldOf = (name: string): string => `sed -E 's/.*"${name}":"([^"]+)".*/\\1/'`;

const JSON_TYPE = `-H 'Content-Type: application/json'`;

interface Step {
  text: string;
  command: string;
}

/** From nothing to the first answer of a model, in commands that can be pasted one after the other. */
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
      text: 'Take the first model that the key may use, and ask it.',
      command: `MODEL=$(curl -s '${baseUrl}/v1/models' -H "Authorization: Bearer $FAREBOX_API_KEY" \\\n  | sed -E 's/.*"data":\\[\\{"id":"([^"]+)".*/\\1/')\ncurl '${baseUrl}/v1/chat/completions' \\\n  -H "Authorization: Bearer $FAREBOX_API_KEY" ${JSON_TYPE} \\\n  -d '{"model":"'"$MODEL"'","messages":[{"role":"user","content":"Hello"}]}'`,
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
