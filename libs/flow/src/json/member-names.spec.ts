import { readJsonText } from './json-in-turns';
import { namesOf } from './member-names';
import { writeJson } from './write-json';
import { WrittenJson } from './written-json';

const MEMBERS = 20_000;
/** Enough of them are longer than all that is parsed at once. */
const member = (name: string, i: number): string => `"${name}":"${String(i)} xxxxxxxxxx"`;

async function read(names: readonly string[]): Promise<object> {
  const text = `{"before":1,"long":{${names.map(member).join(',')}},"after":{}}`;
  const { value } = await readJsonText(Buffer.from(text));
  expect(value).toEqual(JSON.parse(text));
  return value as object;
}

it.each<[string, (i: number) => string]>([
  ['words', (i) => `m${String(i)}`],
  ['numbers', (i) => String(MEMBERS - i)],
  ['words, each of them twice and far apart', (i) => `m${String(i % (MEMBERS / 2))}`],
])(
  'an object of many members is written without listing its names again, if they are %s',
  async (_what, nameOf) => {
    const value = await read(Array.from({ length: MEMBERS }, (_, i) => nameOf(i)));

    const listed = jest.spyOn(Object, 'keys');
    const json = Buffer.concat(writeJson(value, new WrittenJson())).toString();
    const objects = listed.mock.calls.map(([object]) => object);
    listed.mockRestore();

    expect(JSON.parse(json)).toEqual(value);
    expect(Math.max(...objects.map((object) => Object.keys(object).length))).toBeLessThan(100);
    const { long } = value as { long: object };
    expect([...namesOf(long)].sort()).toEqual(Object.keys(long).sort());
  },
);
