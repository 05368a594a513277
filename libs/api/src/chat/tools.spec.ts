import { readAsked, refusalOf, refusedIn } from '../../test/asked';
import { CHAT_REQUEST_LIMITS } from '../fields';
import { jsonSchema } from './tools';

const list = {
  type: 'object',
  properties: { value: {}, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
};

/** The problem of a schema; undefined if there is none. */
const problemOf = (schema: unknown): string | undefined =>
  jsonSchema.safeParse(schema).error?.issues[0]?.message;

describe('a schema is accepted', () => {
  it.each<[string, object]>([
    ['of anything', {}],
    ['that is recursive', list],
    [
      'with a recursive definition',
      { $ref: '#/$defs/list', $defs: { list: { items: { $ref: '#/$defs/list' } } } },
    ],
    ['with references to references', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: {} } }],
    ['with escapes in a reference', { $ref: '#/$defs/a~1b~0', $defs: { 'a/b~': {} } }],
    ['with a reference to an anchor', { $ref: '#node', $defs: { node: { $anchor: 'node' } } }],
    ['with a property of the name $ref', { properties: { $ref: { type: 'string' } } }],
    [
      'with data that looks like a reference',
      { enum: [{ $ref: 'https://x/' }], default: { $ref: 'file:///' } },
    ],
    ['that refers to nothing', { $ref: '#/$defs/missing/deeper' }],
    ['with a reference that is no text', { $ref: 7 }],
  ])('%s', (_name, schema) => {
    expect(problemOf(schema)).toBeUndefined();
  });
});

describe('a schema is refused', () => {
  it.each([
    'https://example.com/s.json',
    'http://169.254.169.254/',
    'file:///etc/passwd',
    'other.json#/a',
    '',
  ])('that refers to %s', ($ref) => {
    const problem = 'must not have a "$ref" to another document';
    expect(problemOf({ $ref })).toBe(problem);
    expect(problemOf({ properties: { a: { items: [{}, { $ref }] } } })).toBe(problem);
    expect(problemOf({ $ref: '#/$defs/a', $defs: { a: { $ref } } })).toBe(problem);
  });

  it.each<[string, object]>([
    ['itself', { $ref: '#' }],
    ['itself, among other things', { type: 'object', $ref: '#', properties: {} }],
    ['itself deep inside', { properties: { a: { $ref: '#/properties/a' } } }],
    ['itself over others', { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
  ])('that is only a reference to %s', (_name, schema) => {
    expect(problemOf(schema)).toBe('must not have a "$ref" that leads back to itself');
  });

  it.each([[[]], ['x'], [null], [true]])('that is %j', (schema) => {
    expect(jsonSchema.safeParse(schema).success).toBe(false);
  });
});

it('a long chain of references is followed once', () => {
  const length = 50_000;
  const $defs: Record<string, object> = {};
  for (let i = 0; i < length; i++) $defs[i] = { $ref: `#/$defs/${String(i + 1)}` };
  // Without a memory the chain is followed from its beginning for each link, which never ends.
  expect(problemOf({ $defs })).toBeUndefined();
});

const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } });
const choosing = (name: string) => ({ type: 'function', function: { name } });
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather = tool('weather', { description: 'How it is outside.', parameters, strict: true });
const many = (count: number) => Array.from({ length: count }, (_, i) => tool(`tool_${String(i)}`));

describe('tools are accepted', () => {
  it.each<[string, object]>([
    ['with all that they have', { tools: [weather] }],
    ['with no more than a name', { tools: [tool('A-z_0-9')] }],
    ['without strictness', { tools: [tool('a', { strict: null })] }],
    ['as many as may be', { tools: many(CHAT_REQUEST_LIMITS.tools) }],
    ['that need not be called', { tools: [weather], tool_choice: 'auto' }],
    ['that must not be called', { tools: [weather], tool_choice: 'none' }],
    ['one of which must be called', { tools: [weather], tool_choice: 'required' }],
    [
      'of which this one is to be called',
      { tools: [tool('other'), weather], tool_choice: choosing('weather') },
    ],
    ['of which there are none', { tools: [], tool_choice: 'auto', parallel_tool_calls: true }],
    ['that are called one at a time', { tools: [weather], parallel_tool_calls: false }],
  ])('%s', (_name, more) => {
    expect(readAsked(more)).toMatchObject(more);
  });
});

describe('tools are refused by the name of the invalid field', () => {
  it.each<[string, object]>([
    ['tools', { tools: 'weather' }],
    ['tools', { tools: many(CHAT_REQUEST_LIMITS.tools + 1) }],
    ['tools[0].type', { tools: [{ ...weather, type: 'custom' }] }],
    ['tools[0].function', { tools: [{ type: 'function' }] }],
    ['tools[0].function.name', { tools: [tool('')] }],
    ['tools[0].function.name', { tools: [tool('a b')] }],
    ['tools[0].function.name', { tools: [tool('x'.repeat(65))] }],
    ['tools[0].function.description', { tools: [tool('a', { description: 7 })] }],
    ['tools[0].function.parameters', { tools: [tool('a', { parameters: [] })] }],
    ['tools[0].function.parameters', { tools: [tool('a', { parameters: { $ref: '#' } })] }],
    ['tools[0].function.strict', { tools: [tool('a', { strict: 'yes' })] }],
    ['tool_choice', { tools: [weather], tool_choice: 'any' }],
    ['tool_choice', { tools: [weather], tool_choice: 7 }],
    ['tools[0].custom.name', { tools: [{ type: 'custom', custom: { name: 'a b' } }] }],
    ['tool_choice.custom', { tools: [weather], tool_choice: { ...choosing('weather'), type: 'custom' } }],
    ['tool_choice.function.name', { tools: [weather], tool_choice: choosing('other') }],
    ['tool_choice.function.name', { tools: [weather], tool_choice: choosing('a b') }],
    ['tool_choice', { tools: [], tool_choice: 'required' }],
    ['tool_choice', { tools: [], tool_choice: choosing('weather') }],
    ['tool_choice', { tool_choice: 'auto' }],
    ['tool_choice', { tool_choice: choosing('weather') }],
    ['parallel_tool_calls', { parallel_tool_calls: true }],
  ])('%s', (param, more) => {
    expect(refusedIn(more)).toBe(param);
  });

  it('in a message with the allowed values', () => {
    expect(refusalOf({ tools: [weather], tool_choice: 'any' })).toMatchObject({
      message: `'tool_choice' must be "none", "auto", "required" or one of the tools.`,
    });
    expect(refusalOf({ tool_choice: 'auto' })).toMatchObject({
      message: "'tool_choice' goes with tools only.",
    });
  });
});

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

describe('a response format is refused by the name of the invalid field', () => {
  it.each<[string, object]>([
    ['response_format', { response_format: 'json' }],
    ['response_format.type', { response_format: {} }],
    ['response_format.type', { response_format: { type: 'xml' } }],
    ['response_format.json_schema', { response_format: { type: 'json_schema' } }],
    ['response_format.json_schema.name', named({ name: undefined })],
    ['response_format.json_schema.name', named({ name: 'a b' })],
    ['response_format.json_schema.schema', named({ schema: [] })],
    ['response_format.json_schema.schema', named({ schema: { $ref: 'https://example.com/schema.json' } })],
    ['response_format.json_schema.strict', named({ strict: 'yes' })],
  ])('%s', (param, more) => {
    expect(refusedIn(more)).toBe(param);
  });
});
