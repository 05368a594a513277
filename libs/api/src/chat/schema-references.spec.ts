import { checkSchemas, findReferenceProblem } from './schema-references';

const OBJECTS = 29_000;
const OUTSIDE = { $ref: 'https://example.com/' };

/** Chains of 40 objects, each with a name of its own. */
function nested(last: object = {}): Record<string, unknown> {
  const properties: Record<string, object> = {};
  for (let i = 0; i < OBJECTS; i += 40) {
    let chain: object = i === 0 ? last : {};
    for (let level = 0; level < 40; level++) chain = { [`n${String(i + level)}`]: chain };
    properties[`k${String(i)}`] = chain;
  }
  return { type: 'object', properties };
}

const PLACES: [string, (schema: object) => object][] = [
  ['of a tool of chat', (parameters) => ({ tools: [{ type: 'function', function: { parameters } }] })],
  ['of a tool of messages', (input_schema) => ({ tools: [{ name: 'f', input_schema }] })],
  ['of a tool of responses', (parameters) => ({ tools: [{ type: 'function', parameters }] })],
  ['of a tool in a namespace', (parameters) => ({ tools: [{ type: 'namespace', tools: [{ parameters }] }] })],
  ['of an answer of chat', (schema) => ({ response_format: { json_schema: { schema } } })],
  ['of an answer of messages', (schema) => ({ output_config: { format: { schema } } })],
  ['of an answer of responses', (schema) => ({ text: { format: { schema } } })],
];

describe.each(PLACES)('a long schema %s', (_place, requestOf) => {
  it('is checked in turns, and not again', async () => {
    const schema = nested();
    const giveWay = jest.fn(() => Promise.resolve());
    await checkSchemas(requestOf(schema), { giveWay });
    expect(giveWay.mock.calls.length).toBeGreaterThan(10);
    const listed = jest.spyOn(Object, 'keys');
    const problem = findReferenceProblem(schema);
    const times = listed.mock.calls.length;
    listed.mockRestore();
    expect([problem, times]).toEqual([undefined, 0]);
  });

  it('is refused as a short one is', async () => {
    const schema = nested(OUTSIDE);
    await checkSchemas(requestOf(schema), { giveWay: () => Promise.resolve() });
    expect(findReferenceProblem(schema)).toBe(findReferenceProblem(OUTSIDE));
    expect(findReferenceProblem(schema)).toContain('another document');
  });
});

it.each([null, 'text', 7, [], {}, { tools: null }, { tools: 'x' }, { tools: [null, 7, [{}]], text: [] }])(
  'a request without schemas needs no check: %j',
  async (request) => {
    await expect(checkSchemas(request, { giveWay: () => Promise.resolve() })).resolves.toBeUndefined();
  },
);
