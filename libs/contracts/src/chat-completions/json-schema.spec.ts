import { jsonSchema } from './json-schema';

const list = {
  type: 'object',
  properties: { value: {}, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
};

/** What is wrong with a schema; undefined where nothing is. */
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
  // The chain is followed from its beginning for each of its links where nothing is remembered: that never ends.
  expect(problemOf({ $defs })).toBeUndefined();
});
