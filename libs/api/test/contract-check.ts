import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { OpenApiDocument } from '../src/document/document';
import {
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  objectsIn,
  resolve,
  textAt,
} from '../src/document/json';
import { DocumentSchemas, findOperation, type Problems } from './document-schemas';

/** The errors of HTTP itself, or of a missing route. No operation lists them. */
const OUTSIDE_OF_OPERATIONS = [400, 404, 405, 408];

/** Compares the traffic with the OpenAPI document. */
export class ContractCheck {
  readonly document: OpenApiDocument;
  readonly schemas: DocumentSchemas;

  constructor(document = committedDocument()) {
    this.document = document;
    this.schemas = new DocumentSchemas(document);
  }

  /** Deviations from the document; empty if there are none. */
  problemsOf(exchange: Exchange): Problems {
    const { found, methods } = findOperation(this.document, exchange.method, exchange.target);
    if (!found) return this.#withoutOperation(exchange, methods);
    const responses = objectAt(found.operation, 'responses');
    const status = String(exchange.status);
    if (!Object.hasOwn(responses, status)) {
      return exchange.status === 408
        ? this.#withoutOperation(exchange, methods)
        : [`the status ${status} is not documented`];
    }
    const response = resolve(this.document, objectAt(responses, status));
    const isTaken = exchange.status < 400;
    return [
      ...(isTaken ? checkRequest(this, found.operation, exchange) : []),
      ...checkAnswer(this, response, exchange),
    ];
  }

  /** Throws with all deviations from the document. */
  expect(exchange: Exchange): void {
    const problems = this.problemsOf(exchange);
    if (problems.length === 0) return;
    const what = `${exchange.method} ${exchange.target} answered ${String(exchange.status)}`;
    throw new Error(
      [`${what}, which is not as openapi.json says:`, ...problems, exchange.text.slice(0, 500)].join('\n'),
    );
  }

  #withoutOperation(exchange: Exchange, methods: readonly string[]): Problems {
    if (!OUTSIDE_OF_OPERATIONS.includes(exchange.status)) {
      return [`nothing of this path and method is documented`];
    }
    const response = objectAt(
      objectAt(objectAt(this.document, 'components'), 'responses'),
      'InvalidRequestError',
    );
    const allowed = exchange.headers['allow'];
    return [
      ...(exchange.status === 404 && methods.length > 0 ? ['the path is documented, and answers 404'] : []),
      ...(exchange.status === 405 && allowed === undefined ? ['405 without Allow'] : []),
      ...checkAnswer(this, response, exchange),
    ];
  }
}

/**
 * `docs/use/openapi.json`, which another test compares with the contracts: building it again takes a hundred times as
 * long.
 */
function committedDocument(): OpenApiDocument {
  const file = path.join(__dirname, '../../../docs/use/openapi.json');
  return JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument;
}

/** The problems of a response by its description in the document. */
function checkAnswer(
  { document, schemas }: { document: OpenApiDocument; schemas: DocumentSchemas },
  response: JsonObject,
  exchange: Exchange,
): Problems {
  return [
    ...headerProblems(document, schemas, objectAt(response, 'headers'), exchange.headers),
    ...(exchange.method === 'HEAD' ? [] : bodyProblems(schemas, objectAt(response, 'content'), exchange)),
  ];
}

function headerProblems(
  document: OpenApiDocument,
  schemas: DocumentSchemas,
  documented: JsonObject,
  headers: Exchange['headers'],
): Problems {
  return objectsIn(documented).flatMap(([name, reference]) => {
    const header = resolve(document, reference);
    const value = headers[name.toLowerCase()];
    if (value === undefined) return header['required'] === true ? [`the header ${name} is missing`] : [];
    const schema = objectAt(header, 'schema');
    const read = schema['type'] === 'integer' ? Number(value) : String(value);
    return schemas.problemsOf(schema, read).map((problem) => `header ${name}: ${problem}`);
  });
}

function bodyProblems(schemas: DocumentSchemas, contents: JsonObject, exchange: Exchange): Problems {
  const mediaType = mediaTypeOf(exchange);
  if (Object.keys(contents).length === 0) {
    return exchange.text === '' ? [] : ['the answer has a body, and should have none'];
  }
  if (!Object.hasOwn(contents, mediaType)) return [`the media type ${mediaType} is not documented`];
  const schema = objectAt(objectAt(contents, mediaType), 'schema');
  if (mediaType === 'text/event-stream') return streamProblems(schemas, schema, exchange.text);
  if (mediaType !== 'application/json') return [];
  const body = parseJson(exchange.text);
  return body === undefined ? ['the body is no JSON'] : schemas.problemsOf(schema, body);
}

function streamProblems(schemas: DocumentSchemas, schema: JsonObject, text: string): Problems {
  const events = text.split('\n\n').flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? []);
  const last = events.at(-1);
  const content = objectAt(schema, 'contentSchema');
  return [
    ...(events.slice(0, -1).includes('[DONE]') ? ['[DONE] is not the last event'] : []),
    ...events
      .filter((event, i) => !(event === '[DONE]' && i === events.length - 1 && event === last))
      .flatMap((event) => schemas.problemsOf(content, parseJson(event))),
  ];
}

/** The document's objections to a request that the service accepted. */
function checkRequest(
  { document, schemas }: { document: OpenApiDocument; schemas: DocumentSchemas },
  operation: JsonObject,
  exchange: Exchange,
): Problems {
  return [
    ...queryProblems(schemas, operation, exchange),
    ...requestBodyProblems(document, schemas, operation, exchange),
  ];
}

function queryProblems(schemas: DocumentSchemas, operation: JsonObject, { target }: Exchange): Problems {
  const given = new URL(target, 'http://farebox.test').searchParams;
  const documented = listAt(operation, 'parameters').filter((parameter) => parameter['in'] === 'query');
  const names = new Set(documented.map((parameter) => textAt(parameter, 'name')));
  // A body or a query that an operation does not take is not checked.
  const unknown = names.size === 0 ? [] : [...given.keys()].filter((name) => !names.has(name));
  return [
    ...unknown.map((name) => `the query parameter ${name} is not documented`),
    ...documented.flatMap((parameter) => {
      const name = textAt(parameter, 'name');
      const value = given.get(name);
      if (value === null)
        return parameter['required'] === true ? [`the query parameter ${name} is missing`] : [];
      const schema = objectAt(parameter, 'schema');
      const read = schema['type'] === 'integer' ? Number(value) : value;
      return schemas.problemsOf(schema, read).map((problem) => `query parameter ${name}: ${problem}`);
    }),
  ];
}

function requestBodyProblems(
  document: OpenApiDocument,
  schemas: DocumentSchemas,
  operation: JsonObject,
  { requestBody }: Exchange,
): Problems {
  const body = resolve(document, objectAt(operation, 'requestBody'));
  const { 'application/json': content, ...others } = objectAt(body, 'content');
  if (requestBody === undefined || requestBody === '') {
    return body['required'] === true ? ['the request has no body'] : [];
  }
  if (!isObject(content)) return [];
  const value = parseJson(requestBody);
  // A form, if the operation takes one, is not checked.
  if (value === undefined) return Object.keys(others).length > 0 ? [] : ['the request body is no JSON'];
  return schemas.problemsOf(objectAt(content, 'schema'), value).map((problem) => `request body: ${problem}`);
}

/** A request as it was sent, and its response. */
export interface Exchange {
  method: string;
  /** With its query. */
  target: string;
  /** The text of the body, if there is one. */
  requestBody?: string | undefined;
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  text: string;
}

const mediaTypeOf = ({ headers }: Exchange): string =>
  String(headers['content-type'] ?? '')
    .split(';')[0]
    ?.trim() ?? '';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
