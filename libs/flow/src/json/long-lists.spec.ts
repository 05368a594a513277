import { turnsBeside } from '@farebox/testing';
import { readJsonText } from './json-in-turns';
import { JsonError } from './json-error';

/** Long lists of short values in a text that is read in turns: their entries are parsed part by part. */

const read = (text: string) => readJsonText(Buffer.from(text));

const list = (bytes: number, entry: string): string => {
  const count = Math.ceil(bytes / (entry.length + 1));
  return `[${Array.from({ length: count }, () => entry).join(',')}]`;
};

const MEGABYTE = 1024 * 1024;
const LONG_STRING = JSON.stringify('x'.repeat(5_000));

const LISTS: [string, string][] = [
  ['numbers', list(MEGABYTE, '-1.5e3')],
  ['objects', list(MEGABYTE, '{"token":" a","bytes":[32,97],"top":[{"a":null},[]]}')],
  ['strings that look like JSON', list(MEGABYTE, '"],[\\"{,}"')],
  ['lists', list(MEGABYTE, '[[],[1,[2]],{}]')],
  ['lists that are long themselves', list(MEGABYTE, list(200_000, '1'))],
  ['lists that are just not', list(MEGABYTE, list(65_000, '1'))],
  ['long strings', list(MEGABYTE, LONG_STRING)],
  ['long strings among others', list(MEGABYTE, `1,${LONG_STRING},${list(100_000, 'true').slice(1, -1)}`)],
  [
    'long strings deep among others',
    list(MEGABYTE, `{"a":[[${LONG_STRING}]]},${list(90_000, 'null').slice(1, -1)}`),
  ],
  ['white space', list(MEGABYTE, ' \n 1 \t')],
  ['text outside of ASCII', list(MEGABYTE, '"漢字 😀"')],
  ['deep ones', list(MEGABYTE, `${'['.repeat(100)}1${']'.repeat(100)}`)],
  ['a long one in a deep place', `${'['.repeat(100)}${list(MEGABYTE, '1')}${']'.repeat(100)}`],
  [
    'an object of many members',
    `{${Array.from({ length: 90_000 }, (_, i) => `"m${String(i)}":[${String(i)}]`).join(',')}}`,
  ],
  ['an object between', `[${list(300_000, '1')},{"__proto__":${list(300_000, '{}')}},${list(10, '2')}]`],
];

it.each(LISTS)('equals the result of JSON.parse: %s', async (_what, text) => {
  for (const whole of [text, `{"choices":[{"content":${text}}],"usage":{}}`]) {
    const { value } = await read(whole);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(whole)));
  }
});

it.each(LISTS)('leaves others their turns: %s', async (what, text) => {
  const { turns } = await turnsBeside(() => read(text));
  expect(turns).toBeGreaterThanOrEqual(what === 'an object of many members' ? 1 : 4);
});

it('is cut where entries end: megabytes of numbers are never parsed at once', async () => {
  const parse = jest.spyOn(JSON, 'parse');
  const text = `{"content":${list(4 * MEGABYTE, '-1.5e3')}}`;
  await read(text);
  const longest = Math.max(...parse.mock.calls.map(([parsed]) => parsed.length));
  parse.mockRestore();
  expect(longest).toBeLessThan(80 * 1024);
});

const ONES = list(100_000, '1').slice(1, -1);

it.each([
  ['an entry that is none', `[${ONES},,${ONES},${ONES},${ONES}]`],
  ['nothing but white space between commas', `[${ONES},${' '.repeat(70_000)},${ONES},${ONES}]`],
  ['a comma at the end', `[${ONES},${ONES},${ONES},]`],
  ['a comma at the beginning', `[,${ONES},${ONES},${ONES}]`],
  ['a brace for a bracket', `[${ONES},${ONES},${ONES}}`],
  ['a bracket for a brace', `{"a":[${ONES},${ONES},${ONES}]]`],
  ['a bracket in its midst', `[${ONES}],${ONES},${ONES}]`],
  ['brackets that cross within it', `[${ONES},[{],${ONES}},${ONES}]`],
  ['a list that does not end', `[${ONES},${ONES},${ONES}`],
  ['members without a value', `{${ONES},${ONES},${ONES}}`],
  ['a member in a list', `[${ONES},"a":${ONES},${ONES}]`],
  ['a word', `[${ONES},${ONES},none,${ONES}]`],
  ['more after its end', `[${ONES},${ONES},${ONES}][1]`],
])('is refused if JSON.parse refuses it: %s', async (_what, text) => {
  expect(() => JSON.parse(text) as unknown).toThrow();
  await expect(read(text)).rejects.toThrow(JsonError);
});
