import { sentArguments, toArgumentsObject, toArgumentsObjects, toArgumentsText } from './tool-arguments';

const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}}`;

it('reads a text as an object', () => {
  expect(toArgumentsObject('{"at":{"x":[1]}}')).toEqual({ at: { x: [1] } });
  expect(toArgumentsObject(nested(48))).toBeDefined();
});

it.each(['', 'no JSON', '[1]', '1', 'null', nested(49), nested(6_000), nested(500_000)])(
  'reads no object from %.20s…',
  (text) => {
    expect(toArgumentsObject(text)).toBeUndefined();
  },
);

it.each([1, 48, 500, 501, 6_000, 500_000])('writes an object of %i levels', (levels) => {
  const text = nested(levels);
  expect(toArgumentsText(JSON.parse(text))).toBe(text);
});

it('writes every kind of value in a deep object', () => {
  const text = `{"a \\"b\\"":[],"c":{},"d":[true,null,-1.5,"\\n€",{"e":1,"f":[2,3]}],"g":${nested(600)}}`;
  expect(toArgumentsText(JSON.parse(text))).toBe(text);
});

it.each([
  ['', '{}'],
  [' ', '{}'],
  ['{"a":1}', '{"a":1}'],
  ['{"city":"Ro', '{"arguments":"{\\"city\\":\\"Ro"}'],
  ['[1]', '{"arguments":"[1]"}'],
  [`{"a":"${'x'.repeat(20_000)}"}`, `{"a":"${'x'.repeat(20_000)}"}`],
])('the arguments %.20j of a call are sent back as JSON', (text, sent) => {
  expect(sentArguments(text)).toBe(sent);
});

it('long truncated arguments are sent back as JSON', () => {
  const text = `{"a":"${'x'.repeat(20_000)}`;
  expect(JSON.parse(sentArguments(text))).toEqual({ arguments: text });
});

it.each([
  '',
  'no JSON',
  '[1]',
  'null',
  '{"at":{"x":[1]}}',
  nested(48),
  nested(49),
  `{"a":"${'é'.repeat(300_000)}"}`,
])('reads the same in turns: %.20s', async (text) => {
  const objects = await toArgumentsObjects([text, '{}']);
  expect(objects.get(text)).toEqual(toArgumentsObject(text));
  expect(objects.get('{}')).toEqual({});
});

it.each([
  ['{"a":1}', true],
  [' {"a":1}\n', true],
  ['{', false],
  ['{"a":1}x', false],
  ['x{"a":1}', false],
])('long arguments that begin and end like %j are sent as they are: %s', (ends, isSent) => {
  const space = ' '.repeat(20_000);
  const text = ends.replace('"a"', `"a${'x'.repeat(20_000)}"`).replace('{', `${space}{`);
  expect(sentArguments(text) === text).toBe(isSent);
});
