import {
  type Answer,
  type Content,
  type Examples,
  type Operation,
  PATH_PARAMETERS,
  type RequestBody,
  TAGS,
} from '../operation';
import { OPERATIONS } from '../operations';
import { ERROR_SCHEMAS, errorResponses, SharedResponses } from './error-responses';
import { ALWAYS, type HeaderName, headerReferences, HEADERS, REQUEST_HEADERS } from './headers';
import { contractSchemas, queryFields, schemaReference } from './named-schemas';
import type { Json, JsonObject } from './json';

/** The version is that of the paths: `/v1`. */
const INFO: JsonObject = {
  title: 'Farebox',
  version: '1.0.0',
  summary: 'Prepaid model inference with an OpenAI-compatible API.',
  description: [
    'Requests to language models, paid for in advance. Call the models with an API key, and everything else with the session of an account.',
    '**Money** is a decimal string in US dollars with nine places, beside `"currency": "usd"`. **Times** are whole Unix seconds. **Lists** are newest first, take `limit` and `after`, and say with `has_more` whether there is more.',
    '**Errors** have one form and a closed set of codes. Branch on `code`. `x-should-retry` says whether the same request may be sent again, and `Retry-After` when. An unknown path gets 404 `invalid_request_error`, an unsupported method 405, a malformed HTTP message 400, and a request that does not arrive in time 408.',
    '**Every response** has the header `X-Service-Request-Id`. A client may send an id of its own: 1 to 128 letters, digits, `.`, `_` or `-`.',
  ].join('\n\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends JsonObject {
  paths: Record<string, JsonObject>;
  components: JsonObject & { schemas: JsonObject };
}

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ak-…',
    description:
      'An API key. It may call the models and read the receipts of its own requests, and nothing else.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      'The same API key, as Anthropic clients send it. If a request has both headers, they must agree.',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'st-…',
    description: 'The session of an account.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_token',
    description:
      'The same session as a cookie. A change that it authorises must come from a page of the same origin: `Origin`, or `Sec-Fetch-Site: same-origin`.',
  },
} as const;

/** The document of both services, computed from the contracts and the operations. Deterministic. */
export function buildDocument(): OpenApiDocument {
  const shared = new SharedResponses();
  const paths = pathsOf(OPERATIONS, shared) as Record<string, JsonObject>;
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: '/', description: 'Where this document is served.' }],
    tags: TAGS.map((tag) => ({ ...tag })),
    paths,
    components: {
      schemas: sorted({ ...contractSchemas(), ...ERROR_SCHEMAS }),
      responses: sorted(shared.byName),
      headers: usedHeaders({ paths, responses: shared.byName }),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** The headers with a reference to them. */
function usedHeaders(parts: JsonObject): JsonObject {
  const text = JSON.stringify(parts);
  const isUsed = (name: string): boolean => text.includes(`"#/components/headers/${name}"`);
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => isUsed(name)));
}

function sorted(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `paths`, in the order of the operations. */
function pathsOf(operations: readonly Operation[], shared: SharedResponses): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of operations) {
    const item = (paths[operation.path] ??= {});
    item[operation.method.toLowerCase()] = operationObject(operation, shared);
  }
  return paths;
}

const SECURITY: Readonly<Record<Operation['credential'], readonly JsonObject[]>> = {
  api_key: [{ apiKey: [] }],
  session: [{ session: [] }, { sessionCookie: [] }],
  none: [],
};

function securityOf({ credential, speaksMessages, takesApiKey }: Operation): JsonObject[] {
  if (speaksMessages) return [{ apiKey: [] }, { apiKeyHeader: [] }];
  return [...SECURITY[credential], ...(takesApiKey ? [{ apiKey: [] }] : [])];
}

function operationObject(operation: Operation, shared: SharedResponses): JsonObject {
  const { id, tag, summary, description, body } = operation;
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: securityOf(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body ? { requestBody: requestBody(body) } : {}),
    responses: {
      ...Object.fromEntries(
        operation.answers.map((answer) => [String(answer.status), responseOf(answer, operation)]),
      ),
      ...errorResponses(operation, shared),
    },
  };
}

function requestBody({ schema, otherMediaTypes = [], isRequired, examples }: RequestBody): JsonObject {
  const content = { schema: schemaReference(schema), examples: examplesOf(examples) };
  const mediaTypes = ['application/json', ...otherMediaTypes];
  return {
    required: isRequired,
    content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, content])),
  };
}

function responseOf({ description, headers = [], contents }: Answer, { tag }: Operation): JsonObject {
  const isPrivate = tag !== 'Service';
  const names: HeaderName[] = [...ALWAYS, ...(isPrivate ? (['Cache-Control'] as const) : []), ...headers];
  return {
    description,
    headers: headerReferences(names),
    ...(contents.length === 0
      ? {}
      : { content: Object.fromEntries(contents.map((content) => [content.mediaType, contentOf(content)])) }),
  };
}

function contentOf(content: Content): JsonObject {
  return { schema: bodySchema(content), examples: examplesOf(content.examples) };
}

function bodySchema({ mediaType, schema, saysItsEnd }: Content): JsonObject {
  if (mediaType === 'text/event-stream' && schema) return eventStream(schema, saysItsEnd === true);
  if (schema) return schemaReference(schema);
  if (mediaType === 'application/json') return { type: 'object' };
  return { type: 'string', contentMediaType: mediaType };
}

/** OpenAPI 3.1 cannot describe the events of a stream; JSON Schema's keyword for text that contains JSON can. */
function eventStream(event: NonNullable<Content['schema']>, saysItsEnd: boolean): JsonObject {
  const stream = { type: 'string', contentMediaType: 'text/event-stream' };
  if (saysItsEnd) {
    const description = 'The data of each event is JSON of `contentSchema`.';
    return { ...stream, description, contentSchema: schemaReference(event) };
  }
  return {
    ...stream,
    description: 'The data of each event is JSON of `contentSchema`, but for the last, `[DONE]`.',
    contentSchema: { anyOf: [schemaReference(event), { $ref: '#/components/schemas/StreamFailure' }] },
  };
}

function examplesOf(examples: Examples): JsonObject {
  return Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name, { value: value as Json }]),
  );
}

/** The parameters of an operation: path, query, headers. */
function parametersOf(operation: Operation): JsonObject[] {
  return [
    ...pathParameterNames(operation.path).map(pathParameter),
    ...(operation.query ? queryFields(operation.query).map(queryParameter) : []),
    ...(operation.headers ?? []).map((name) => REQUEST_HEADERS[name]),
  ];
}

function pathParameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
}

function pathParameter(name: string): JsonObject {
  const parameter = PATH_PARAMETERS[name];
  if (!parameter) throw new Error(`the path parameter ${name} is not described in PATH_PARAMETERS`);
  const { description, example } = parameter;
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example };
}

function queryParameter({ name, schema, isRequired }: ReturnType<typeof queryFields>[number]): JsonObject {
  const { description, example, ...rest } = schema;
  return {
    name,
    in: 'query',
    required: isRequired,
    ...(description === undefined ? {} : { description }),
    schema: rest,
    ...(example === undefined ? {} : { example }),
  };
}
