import { requestText, toBytes } from '../raw-http/request-text';
import { startBadInputHarness, type BadInputHarness } from '../bad-input-harness';

let harness: BadInputHarness;
beforeAll(async () => {
  harness = await startBadInputHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const LEVELS = 64;
const REQUEST = '{"model":"echo","messages":[{"role":"user","content":"Hello"}]}';
const withMember = (member: string): string => `${REQUEST.slice(0, -1)},${member}}`;
const saying = (json: string): string => REQUEST.replace('"Hello"', json);
/** The body is one level, and the parameters, the function and the tool are three more. */
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const tool = (parameters: string): string =>
  withMember(`"tools":[{"type":"function","function":{"name":"f","parameters":{"enum":${parameters}}}}]`);
const LEVELS_ABOVE = 5;

async function refuse(body: string, param: string | undefined): Promise<void> {
  await harness.expectRefused({
    name: '',
    text: ({ secret }) =>
      requestText({
        headers: [`Authorization: Bearer ${secret}`, 'Content-Type: application/json'],
        body,
      }),
    answer: ['400 invalid_request_error', ...(param === undefined ? [] : [param])].join(' '),
  });
}

const ROWS: [name: string, body: string, param?: string][] = [
  ['empty', ''],
  ['of spaces', '  '],
  ['truncated', REQUEST.slice(0, -1)],
  ['followed by another one', REQUEST + REQUEST],
  ['BOM', toBytes(`\uFEFF${REQUEST}`)],
  ['bad UTF-8', saying('"\xff"')],
  ['overlong UTF-8', saying('"\xc0\xaf"')],
  ['a surrogate in UTF-8', saying('"\xed\xa0\xbd"')],
  ['UTF-16', toBytes(REQUEST, 'utf16le')],
  ['UTF-16 with its mark', toBytes(`\uFEFF${REQUEST}`, 'utf16le')],
  ['top-level array', `[${REQUEST}]`],
  ['top-level null', 'null'],
  ['top-level string', '"echo"'],
  ['top-level number', '7'],
  ['depth over 64', tool(deep(LEVELS + 1 - LEVELS_ABOVE))],
  ['depth of 100,000', deep(100_000)],
  ['depth of 100,000 without an end', '{"a":'.repeat(100_000)],
  ['1e400', withMember('"temperature":1e400'), 'temperature'],
  ['-1e400', withMember('"seed":-1e400'), 'seed'],
  ['NaN', withMember('"temperature":NaN')],
  ['2^53+1 where an integer is meant', withMember('"seed":9007199254740993'), 'seed'],
  ['2^53+1 tokens', withMember('"max_tokens":9007199254740993'), 'max_tokens'],
  ['a bare NUL', saying('"a\0b"')],
];

it.each(ROWS.map(([name, body, param]) => ({ name, body, param })))(
  'JSON: $name is refused with 400',
  async ({ body, param }) => {
    await refuse(body, param);
  },
);

it('a depth of 64 is read', async () => {
  const { secret } = await harness.givenKey();
  const headers = [`Authorization: Bearer ${secret}`, 'Content-Type: application/json'];
  const [answer] = await harness.say(requestText({ headers, body: tool(deep(LEVELS - LEVELS_ABOVE)) }));
  expect([answer?.status, answer?.body]).toEqual([200, expect.any(String)]);
});

// A field with such a name is unknown: it is left out, and must not set the prototype of an object.
it.each([
  ['__proto__', withMember('"__proto__":{"stream":true,"max_tokens":1}'), '__proto__'],
  ['constructor', withMember('"constructor":{"prototype":{"stream":true}}'), 'constructor'],
  [
    '__proto__ in a message',
    REQUEST.replace('{"role"', '{"__proto__":{"content":"Bye"},"role"'),
    'messages.__proto__',
  ],
  [
    '__proto__ in a message of a long body',
    REQUEST.replace('{"role"', `${' '.repeat(10_000)}{"__proto__":{"content":"Bye"},"role"`),
    'messages.__proto__',
  ],
])('JSON: %s is left out, and named', async (_name, body, ignored) => {
  const { secret } = await harness.givenKey();
  const headers = [`Authorization: Bearer ${secret}`, 'Content-Type: application/json'];
  const [answer] = await harness.say(requestText({ headers, body }));
  expect([answer?.status, answer?.body]).toEqual([200, expect.stringContaining('"chat.completion"')]);
  expect(answer?.headers).toContainEqual(['x-ignored-fields', ignored]);
  expect(harness.upstream.requests().at(-1)?.body).toEqual({
    model: 'sim-echo',
    messages: [{ role: 'user', content: 'Hello' }],
    max_tokens: 100,
  });
});

// A client sends the output of a tool again with each later request.
it.each([
  ['NUL', 'a\\u0000b', 'a\uFFFDb'],
  ['the first half of an emoji', 'a\\ud83d', 'a\uFFFD'],
  [
    'halves of an emoji in the wrong order, beside a whole one',
    '\\ude00\\ud83d \\ud83d\\ude00',
    '\uFFFD\uFFFD 😀',
  ],
  [
    'the first half of an emoji after much else',
    `${'a word '.repeat(500)}\\ud83d`,
    `${'a word '.repeat(500)}\uFFFD`,
  ],
  ['NUL in a long body', `${'a word '.repeat(2_000)}\\u0000`, `${'a word '.repeat(2_000)}\uFFFD`],
  ['an escaped backslash before a plain one', 'a\\\\u0000', 'a\\u0000'],
])('JSON: a text with %s is accepted', async (_name, written, content) => {
  const { secret } = await harness.givenKey();
  const headers = [`Authorization: Bearer ${secret}`, 'Content-Type: application/json'];
  const [answer] = await harness.say(requestText({ headers, body: saying(`"${written}"`) }));
  expect(answer?.status).toBe(200);
  expect(harness.upstream.requests().at(-1)?.body).toMatchObject({ messages: [{ role: 'user', content }] });
});

it.each(['\\u0000', '\\ud83d'])('JSON: a name with %s is accepted', async (written) => {
  const { secret } = await harness.givenKey();
  const headers = [`Authorization: Bearer ${secret}`, 'Content-Type: application/json'];
  const parameters = `{"properties":{"${written}":{"type":"string"}}}`;
  const body = withMember(`"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`);
  const [answer] = await harness.say(requestText({ headers, body }));
  expect(answer?.status).toBe(200);
  expect(JSON.stringify(harness.upstream.requests().at(-1)?.body)).toContain('{"\uFFFD":{"type":"string"}}');
});
