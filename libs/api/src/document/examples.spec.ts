import { Ajv2020 } from 'ajv/dist/2020';
import { DocumentSchemas } from '../../test/document-schemas';
import { buildDocument } from './document';
import { isObject, type Json, type JsonObject, listAt, objectAt, objectsIn, resolve } from './json';

const document = buildDocument();
const schemas = new DocumentSchemas(document);

/** Every schema with a value that is documented as its example. */
function examplesIn(
  object: JsonObject,
  where: string,
): [where: string, schema: JsonObject, value: unknown][] {
  const schema = objectAt(object, 'schema');
  const named = objectsIn(objectAt(object, 'examples')).map(
    ([name, { value }]) => [`${where} ${name}`, value] as const,
  );
  const own = object['example'] === undefined ? [] : [[where, object['example']] as const];
  return [...named, ...own].map(([name, value]) => [name, schema, value]);
}

const contentsIn = (object: JsonObject, where: string) =>
  objectsIn(objectAt(object, 'content')).flatMap(([mediaType, content]) =>
    examplesIn(content, `${where} ${mediaType}`),
  );

const ofOperations = Object.entries(document.paths).flatMap(([path, item]) =>
  objectsIn(item).flatMap(([method, operation]) => {
    const where = `${method} ${path}`;
    return [
      ...listAt(operation, 'parameters').flatMap((parameter) => examplesIn(parameter, `${where} parameter`)),
      ...contentsIn(objectAt(operation, 'requestBody'), `${where} request`),
      ...objectsIn(objectAt(operation, 'responses')).flatMap(([status, response]) =>
        contentsIn(resolve(document, response), `${where} ${status}`),
      ),
    ];
  }),
);

const ofHeaders = objectsIn(objectAt(document.components, 'headers')).flatMap(([name, header]) =>
  examplesIn(header, `header ${name}`),
);

it.each([...ofOperations, ...ofHeaders])('the example of %s is valid by its schema', (_, schema, value) => {
  expect(schemas.problemsOf(schema, value)).toEqual([]);
});

it('every event of an example of a stream is valid by its schema', () => {
  const streams = ofOperations.filter(([, schema]) => schema['contentMediaType'] === 'text/event-stream');
  expect(streams).not.toEqual([]);
  for (const [, schema, text] of streams) {
    for (const [, event = ''] of String(text).matchAll(/^data: (\{.*)$/gm)) {
      expect(schemas.problemsOf(objectAt(schema, 'contentSchema'), JSON.parse(event))).toEqual([]);
    }
  }
});

/** Every schema of the document, at any depth. */
function schemasIn(value: Json | undefined): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(schemasIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === 'example' || name === 'examples') return [];
    if (name === 'schema' || name === 'contentSchema') return isObject(member) ? [member] : [];
    return schemasIn(member);
  });
}

it('every schema is a valid JSON Schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const named = objectsIn(document.components.schemas).map(([, schema]) => schema);
  const all = [...named, ...schemasIn(document)];
  expect(all.filter((schema) => !ajv.validateSchema(schema))).toEqual([]);
  expect(all.length).toBeGreaterThan(100);
  expect(ajv.validateSchema({ type: 'sting' })).toBe(false);
});
