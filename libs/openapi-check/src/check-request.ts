import {
  isObject,
  listAt,
  objectAt,
  resolve,
  textAt,
  type JsonObject,
  type OpenApiDocument,
} from '@farebox/openapi';
import type { DocumentSchemas, Problems } from './document-schemas';
import { parseJson, type Exchange } from './exchange';

/** What the document has against a request that the service took. */
export function checkRequest(
  { document, schemas }: { document: OpenApiDocument; schemas: DocumentSchemas },
  operation: JsonObject,
  exchange: Exchange,
): Problems {
  return [
    ...queryProblems(schemas, operation, exchange),
    ...bodyProblems(document, schemas, operation, exchange),
  ];
}

function queryProblems(schemas: DocumentSchemas, operation: JsonObject, { target }: Exchange): Problems {
  const given = new URL(target, 'http://farebox.test').searchParams;
  const documented = listAt(operation, 'parameters').filter((parameter) => parameter['in'] === 'query');
  const names = new Set(documented.map((parameter) => textAt(parameter, 'name')));
  // A body or a query that an operation does not take is not looked at.
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

function bodyProblems(
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
  // A form, where the operation takes one, is not looked into.
  if (value === undefined) return Object.keys(others).length > 0 ? [] : ['the request body is no JSON'];
  return schemas.problemsOf(objectAt(content, 'schema'), value).map((problem) => `request body: ${problem}`);
}
