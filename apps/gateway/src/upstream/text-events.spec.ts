import fc from 'fast-check';
import { StreamReader } from './stream-reader';
import type { ChunkChoice } from './answers';
import { isTextOnly } from './text-events';

/** The outcomes of reading events one after the other, whether valid or not. */
function readAll(events: readonly string[]): unknown[] {
  const reader = new StreamReader(2);
  return events.map((event) => outcome(reader, event));
}

/** The same with a new reader for each event, so that every event is parsed in full. */
function readEach(events: readonly string[]): unknown[] {
  return readAll(events.map((event, at) => ' '.repeat(at) + event));
}

function outcome(reader: StreamReader, event: string): unknown {
  try {
    return reader.read(event);
  } catch (error) {
    return (error as Error).name;
  }
}

const event = (content: string): string =>
  `{"id":"c-1","choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}],"usage":null}`;

const GENERATED = fc.record({
  content: fc.string({ unit: fc.constantFrom('a', ' ', 'é', '😀', '\ud83d', '"', '\\', '\n', ',', '}') }),
  more: fc.constantFrom({}, { role: 'assistant' }, { refusal: 'no' }, { reasoning_content: 'so' }),
  index: fc.constantFrom(0, 0, 0, 1),
  beside: fc.constantFrom({}, {}, { usage: { prompt_tokens: 1, completion_tokens: 2 } }, { content: 'a' }),
  finish_reason: fc.constantFrom(null, null, null, 'stop'),
});
/** Replaces one character of the JSON at this place, if given. */
const CHANGED = fc.option(fc.tuple(fc.nat(), fc.constantFrom('', '"', '\\', 'a', '}', ':')), { freq: 3 });

it('reads events that resemble each other as their JSON says', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(GENERATED, CHANGED), { maxLength: 12 }), (drawn) => {
      const events = drawn.map(([{ content, more, index, beside, finish_reason }, changed]) => {
        const choice = { index, delta: { content, ...more }, finish_reason };
        const json = JSON.stringify({ id: 'c', ...beside, choices: [choice] });
        if (!changed) return json;
        const at = changed[0] % json.length;
        return json.slice(0, at) + changed[1] + json.slice(at + 1);
      });
      expect(readAll(events)).toEqual(readEach(events));
    }),
    { numRuns: 2_000 },
  );
});

it('parses only the text of an event that differs from an earlier one in nothing else', () => {
  const reader = new StreamReader(1);
  reader.read(event('a'));
  const parse = jest.spyOn(JSON, 'parse');
  expect(reader.read(event(',\\n“b”'))).toEqual({
    kind: 'choices',
    choices: [{ index: 0, delta: { content: ',\n“b”' }, finish_reason: null }],
    hasUsage: false,
  });
  expect(parse.mock.calls.flat()).toEqual(['",\\n“b”"']);
  parse.mockRestore();
});

it.each([
  ['ends its text with half of an escaped character', event('\\')],
  ['has a text that ends sooner', event('b"},"finish_reason":"stop","x":{"y":"')],
  ['has a character that JSON does not have', event('\t')],
  ['has nothing between its beginning and its end', '{"id":"c-1","choices":[{"index":0,"delta":{"content":"'],
  ['repeats its text', event('b","content":"c')],
])('parses in full an event that %s', (_, odd) => {
  expect(readAll([event('a'), odd, event('c')])).toEqual(readEach([event('a'), odd, event('c')]));
});

it.each([
  ['a key that looks like it', '{"x\\"content":"a","choices":[{"index":0,"delta":{"content":"a"}}]}'],
  ['the same field beside the choices', '{"content":"a","choices":[{"index":0,"delta":{"content":"a"}}]}'],
  ['an earlier one of the same name', '{"choices":[{"index":0,"delta":{"content":"a","content":"a"}}]}'],
])('does not mistake for the text %s', (_, odd) => {
  const events = [odd, odd.replace('"a"', '"b"'), odd.replaceAll('"a"', '"b"')];
  expect(readAll(events)).toEqual(readEach(events));
});

it('stops looking for a pattern if each event has something new', () => {
  const reader = new StreamReader(1);
  const parse = jest.spyOn(JSON, 'parse');
  for (let i = 0; i < 100; i++) reader.read(event('a').replace('c-1', `c-${String(i)}`));
  expect(parse.mock.calls.length).toBeLessThan(110);
  parse.mockRestore();
});

it.each<[boolean, Partial<ChunkChoice>]>([
  [true, {}],
  [true, { index: 1, delta: { content: '' } }],
  [false, { delta: {} }],
  [false, { delta: { content: null } }],
  [false, { delta: { content: 'a', role: 'assistant' } }],
  [false, { finish_reason: 'stop' }],
  [false, { logprobs: null }],
  [false, { stop_sequence: 'a' }],
])('%s: a choice with %j has only its text', (is, more) => {
  expect(isTextOnly({ index: 0, delta: { content: 'a' }, finish_reason: null, ...more })).toBe(is);
});
