import { readAsked, refusedIn } from './asked.stand';

const named = (more: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', ...more } },
});
const schema = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };

describe('a response format is accepted', () => {
  it.each<[string, object]>([
    ['text', { response_format: { type: 'text' } }],
    ['JSON', { response_format: { type: 'json_object' } }],
    ['JSON of a schema', named({ schema, strict: true, description: 'Where.' })],
    ['JSON of a schema that is only named', named({ strict: null })],
  ])('%s', (_name, more) => {
    expect(readAsked(more)).toMatchObject(more);
  });
});

describe('a response format is refused by the name of what is wrong', () => {
  it.each<[string, object]>([
    ['response_format', { response_format: 'json' }],
    ['response_format', { response_format: null }],
    ['response_format.type', { response_format: {} }],
    ['response_format.type', { response_format: { type: 'xml' } }],
    ['response_format.json_schema', { response_format: { type: 'json_schema' } }],
    ['response_format.json_schema', { response_format: { type: 'json_object', json_schema: { name: 'a' } } }],
    ['response_format.json_schema.name', named({ name: undefined })],
    ['response_format.json_schema.name', named({ name: 'a b' })],
    ['response_format.json_schema.schema', named({ schema: [] })],
    ['response_format.json_schema.schema', named({ schema: { $ref: 'https://example.com/schema.json' } })],
    ['response_format.json_schema.strict', named({ strict: 'yes' })],
    ['response_format.json_schema.x', named({ x: 1 })],
  ])('%s', (param, more) => {
    expect(refusedIn(more)).toBe(param);
  });
});
