import { objectAt, objectsIn, resolve, type JsonObject, type OpenApiDocument } from '@farebox/openapi';
import type { DocumentSchemas, Problems } from './document-schemas';
import { mediaTypeOf, parseJson, type Exchange } from './exchange';

/** What is wrong with an answer by the response that the document has for it. */
export function checkAnswer(
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
