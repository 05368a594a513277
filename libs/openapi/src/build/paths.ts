import type { Answer, Content, Examples, Operation, RequestBody } from '../operation';
import { errorResponses, type SharedResponses } from './error-responses';
import { ALWAYS, headerReferences, type HeaderName } from './headers';
import type { Json, JsonObject } from './json';
import { parametersOf } from './parameters';
import { schemaReference } from './zod-schemas';

/** `paths`, in the order of the operations. */
export function pathsOf(operations: readonly Operation[], shared: SharedResponses): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of operations) {
    const item = (paths[operation.path] ??= {});
    item[operation.method.toLowerCase()] = operationObject(operation, shared);
  }
  return paths;
}

const SECURITY: Readonly<Record<Operation['credential'], Json>> = {
  api_key: [{ apiKey: [] }],
  session: [{ session: [] }, { sessionCookie: [] }],
  none: [],
};

function operationObject(operation: Operation, shared: SharedResponses): JsonObject {
  const { id, tag, summary, description, body, credential } = operation;
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: SECURITY[credential],
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

function contentOf({ mediaType, schema, examples }: Content): JsonObject {
  return { schema: bodySchema(mediaType, schema), examples: examplesOf(examples) };
}

function bodySchema(mediaType: string, schema: Content['schema']): JsonObject {
  if (mediaType === 'text/event-stream' && schema) return eventStream(schema);
  if (schema) return schemaReference(schema);
  if (mediaType === 'application/json') return { type: 'object' };
  return { type: 'string', contentMediaType: mediaType };
}

/** OpenAPI 3.1 cannot say what the events of a stream are; JSON Schema's own keyword for text that holds JSON can. */
function eventStream(event: NonNullable<Content['schema']>): JsonObject {
  return {
    type: 'string',
    contentMediaType: 'text/event-stream',
    description: 'The data of each event is JSON of `contentSchema`, but for the last, `[DONE]`.',
    contentSchema: { anyOf: [schemaReference(event), { $ref: '#/components/schemas/StreamFailure' }] },
  };
}

function examplesOf(examples: Examples): JsonObject {
  return Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name, { value: value as Json }]),
  );
}
