import { turnsBeside } from '@farebox/testing';
import { readJsonText } from './json-in-turns';
import { BYTES_AT_ONCE } from '../pace';
import { toJsonInTurns, writeJson, writeJsonInTurns } from './write-json';
import { LONG_BYTES } from './json-scanner';
import { WrittenJson } from './written-json';

/** Written as a string of a text that was read in turns. */
const LONG = `${'x'.repeat(LONG_BYTES)}\\u4e2d`;

async function written(): Promise<WrittenJson> {
  const text = `["${LONG}","${'y'.repeat(BYTES_AT_ONCE)}"]`;
  const { written: strings } = await readJsonText(Buffer.from(text));
  if (!strings) throw new Error('it was not read in turns');
  return strings;
}

const long: unknown = JSON.parse(`"${LONG}"`);
const entries = (count: number, entry: (i: number) => unknown = (i) => ({ i })): unknown[] =>
  Array.from({ length: count }, (_, i) => entry(i));

it.each<[string, unknown]>([
  ['no list', { a: [1, 2], b: null }],
  ['an empty one', { list: [] }],
  ['one that is just not long', entries(255)],
  ['one that is just long', entries(256)],
  ['one with an entry more', { list: entries(257) }],
  ['one in which parts end where it does', entries(640)],
  ['numbers', { list: entries(1_000, (i) => -i / 3) }],
  ['nothing', { list: entries(300, () => undefined), not: undefined }],
  ['short strings with quotes', entries(300, (i) => `"${String(i)}\\`)],
  ['a long string as each entry', entries(300, () => long)],
  ['a long string at the end of a part', entries(300, (i) => (i % 64 === 63 ? { long } : i))],
  ['lists in lists', { a: entries(300, () => entries(300)), b: [entries(260), [entries(260)]] }],
  ['several', { a: entries(256), b: entries(300, () => []), c: 'd' }],
])('a value is written as JSON.stringify says, with %s', async (_what, value) => {
  const pieces = await writeJsonInTurns(value, await written());
  const plain = JSON.stringify(value);
  // A long string is written in its original form: with its escape.
  const expected = plain.replaceAll('\u4e2d', '\\u4e2d');
  expect(Buffer.concat(pieces).toString()).toBe(expected);
});

it.each([
  ['the list of a field', (value: unknown) => ({ model: 'm', tools: value, stream: true })],
  ['a value inside of others', (value: unknown) => ({ list: [1, { deep: [value, 'é'] }] })],
])('a long value that was written is not written again as %s', async (_what, around) => {
  const long = entries(20_000, (i) => ({ i, text: 'é' }));
  const body = around(long);
  const strings = new WrittenJson();

  const { text, byteLength } = await toJsonInTurns(long, strings);

  expect([text, byteLength]).toEqual([JSON.stringify(long), Buffer.byteLength(JSON.stringify(long))]);
  expect(Buffer.concat(await writeJsonInTurns(body, strings)).toString()).toBe(JSON.stringify(body));
  strings.addValue(long, [Buffer.from('"as it was'), Buffer.from(' written"')]);
  expect(Buffer.concat(await writeJsonInTurns(body, strings)).toString()).toBe(
    JSON.stringify(around('as it was written')),
  );

  strings.forget();
  expect(strings.jsonOf(long)).toBeUndefined();
});

it.each([
  ['without escapes', 'x'.repeat(BYTES_AT_ONCE)],
  ['with escapes', '\n"\u4e2d'.repeat(BYTES_AT_ONCE)],
  ['that is short', 'x'],
])('a text %s gets another beginning', async (_what, text) => {
  const bytes = Buffer.from(JSON.stringify([text, 'y'.repeat(BYTES_AT_ONCE)]));
  const read = await readJsonText(bytes);
  const [long] = read.value as [string];
  for (const [beginning, length] of [
    ['data:"', 0],
    ['', 1],
    ['é', 1],
  ] as const) {
    const strings = read.written ?? new WrittenJson();
    const changed = strings.withBeginning(beginning, long, length);
    const pieces = writeJson({ changed }, strings);
    const expected = beginning + text.slice(length);
    expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual({ changed: expected });
    expect(strings.byteLengthOf(changed)).toBe(Buffer.byteLength(expected));
    expect(strings.endsOf(changed, 9)).toEqual([expected.slice(0, 9), expected.slice(-9)]);
    const isPlain = text.length > 1 && !text.includes('"');
    expect(pieces.some(({ buffer }) => buffer === bytes.buffer)).toBe(isPlain);
  }
});

it('others have their turns while log probabilities of megabytes are written', async () => {
  const top = entries(20, (i) => ({
    token: ` word${String(i)}`,
    logprob: -i,
    bytes: [32, 119, 111, 114, 100],
  }));
  const value = {
    choices: [{ logprobs: { content: entries(4_096, (i) => ({ token: i, top_logprobs: top })) } }],
  };
  const strings = await written();
  const { result, turns } = await turnsBeside(async () => writeJsonInTurns(value, strings));
  const bytes = result.reduce((sum, { length }) => sum + length, 0);
  expect(bytes).toBeGreaterThan(4 * 1024 * 1024);
  expect(turns).toBeGreaterThanOrEqual(12);
  expect(Buffer.concat(result).toString()).toBe(JSON.stringify(value));
});
