import { turnsBeside } from '@farebox/testing';
import { readJsonText, type ReadJson } from './json-in-turns';
import { JsonError } from './json-error';
import { writeJson } from './write-json';
import { BYTES_AT_ONCE } from '../pace';

const LONG = 4_200;

/** A text that is long enough to be read in turns, and the expected part of it. */
const within = (text: string): string => `${' '.repeat(BYTES_AT_ONCE)}${text}`;
const read = (text: string, maxValues?: number): Promise<ReadJson> =>
  readJsonText(Buffer.from(within(text)), maxValues === undefined ? {} : { maxValues });
const faultOf = (bytes: Buffer, maxValues?: number): Promise<string> =>
  readJsonText(bytes, maxValues === undefined ? {} : { maxValues }).then(
    () => 'read',
    (error: unknown) => (error instanceof JsonError ? error.fault : String(error)),
  );

const written = ({ value, written: strings }: ReadJson): string => {
  if (!strings) throw new Error('it was not read in turns');
  return Buffer.concat(writeJson(value, strings)).toString();
};

const ESCAPES = ['\\n', '\\"', '\\\\', '\\/', '\\u00e9', '\\ud83d\\ude00', '\\u2028'];
const PLAIN = ['a', ' ', 'é', '漢', '😀', '\uFEFF', '\u2028', '\u007f', '[', '{', ',', ':', '}', ']'];

/** Deterministic for a seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Random = (below: number) => number;

function literal(random: Random, length: number): string {
  const [from, mixed] = [random(3) === 0 ? ESCAPES : PLAIN, random(2) === 0];
  let text = '';
  while (text.length < length) {
    const pieces = mixed ? [...ESCAPES, ...PLAIN] : from;
    text += pieces[random(pieces.length)] ?? '';
  }
  return `"${text}"`;
}

/** JSON with duplicate names, names with a meaning for objects, long names, and white space. */
function json(random: Random, depth = 0): string {
  const gap = [' ', '', '\n\t'][random(3)] ?? '';
  const members = Array.from({ length: depth > 3 ? 0 : random(5) }, () => json(random, depth + 1));
  switch (random(depth > 3 ? 3 : 7)) {
    case 0:
      return literal(random, LONG + (random(12) === 0 ? 300_000 : 0));
    case 1:
      return literal(random, random(40));
    case 2:
      return ['0', '-0', '1e400', '12345678901234567890', '1.50', 'true', 'null'][random(7)] ?? '';
    case 3:
    case 4:
      return `[${gap}${members.join(`,${gap}`)}${gap}]`;
    default: {
      const names = ['"a"', '"b"', '"a"', '"__proto__"', '"7"', literal(random, LONG), '"\\u0061"'];
      return `{${gap}${members.map((one) => `${names[random(names.length)] ?? ''}${gap}:${gap}${one}`).join(',')}}`;
    }
  }
}

/** Long enough to be parsed apart from its surroundings. */
const RUN = Array.from({ length: 9_000 }, (_, i) => `"m${String(i)}":[${String(i)}]`).join(',');
const CUT = `"${'x'.repeat(LONG)}"`;

describe('a long object', () => {
  it.each<[string, string]>([
    ['of many members', `{${RUN},${RUN.replaceAll('m', 'n')},${RUN.replaceAll('m', 'o')}}`],
    ['with the same members twice', `{${RUN},"a":1,${RUN.replaceAll('[', '[0,')},${RUN}}`],
    ['with long strings among its members', `{"a":${CUT},${RUN},"b":{"c":${CUT}},"d":1,"e":${CUT}}`],
    ['with a name before and in its run', `{"m1":${CUT},${RUN},"a":1}`],
    ['with a name in and behind its run', `{${RUN},"m1":${CUT}}`],
    ['with a name on both sides of its run', `{"a":${CUT},${RUN},"a":${CUT.replace('x', 'y')}}`],
    ['with numbers for names', `{"b":${CUT},${RUN.replaceAll('m', '')},"a":1,"-1":${CUT}}`],
    ['with __proto__ in its run', `{"__proto__":{"a":1},${RUN},"b":${CUT}}`],
    ['with __proto__ beside its run', `{"__proto__":{"a":${CUT}},${RUN}}`],
    ['in long objects', `{"a":{${RUN},"b":{${RUN}},"c":[{${RUN}},${CUT}]},${RUN}}`],
    ['with names of white space', `{ "a" : ${CUT} ,\n${RUN} , "b" : {} , ${RUN.replaceAll('m', ' ')} }`],
  ])('%s equals the result of JSON.parse', async (_what, text) => {
    for (const whole of [text, `[${text},${CUT},${text}]`]) {
      const { value } = await read(whole);
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(whole)));
    }
  });

  it('is never parsed at once', async () => {
    const parsed = jest.spyOn(JSON, 'parse');
    const texts = ['x', 'y', 'z'].map((name) => `"${name}":{${RUN}},${RUN.replaceAll('m', name)}`);
    await readJsonText(Buffer.from(`{"schema":{${texts.join(',')}},"a":[{${texts.join(',')}}]}`));
    const longest = Math.max(...parsed.mock.calls.map(([text]) => text.length));
    parsed.mockRestore();
    expect(longest).toBeLessThan(160 * 1024);
  });

  it.each([
    ['white space between commas', `{${RUN},${' '.repeat(70_000)},${RUN}}`],
    ['a comma at its end', `{${RUN},${RUN},}`],
    ['a comma at its beginning', `{,${RUN},"a":${CUT}}`],
    ['a bracket for a brace', `{${RUN},"a":${CUT}]`],
    ['a list in its midst', `{${RUN},[],${RUN}}`],
    ['a name that is none', `{${RUN},m:1,${RUN}}`],
    ['two commas', `{"a":${CUT},,${RUN}}`],
  ])('with %s is refused', async (_what, text) => {
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(await faultOf(Buffer.from(within(text)))).toBe('syntax');
  });
});

describe('a long text', () => {
  it.each(Array.from({ length: 25 }, (_, seed) => seed))(
    'is read like JSON.parse, and written like JSON.stringify except for the encoding of its strings: %d',
    async (seed) => {
      const text = json(randomOf(seed));
      const parsed: unknown = JSON.parse(text);
      const got = await read(text);
      expect(JSON.stringify(got.value)).toBe(JSON.stringify(parsed));
      expect(got.value).toEqual(parsed);
      const again = written(got);
      expect(JSON.stringify(JSON.parse(again))).toBe(JSON.stringify(parsed));
    },
  );

  it.each(Array.from({ length: 25 }, (_, seed) => seed))(
    'is refused if JSON.parse refuses it: %d',
    async (seed) => {
      const random = randomOf(seed);
      const whole = json(random);
      const at = random(whole.length);
      const put = ['"', '\\', '\n', '\\u12', '', ',', '\\x', '}'][random(8)] ?? '';
      const text = whole.slice(0, at) + put + whole.slice(at + 1);
      let expected = 'read';
      try {
        JSON.parse(text);
      } catch {
        expected = 'syntax';
      }
      const bytes = Buffer.from(within(text));
      expect(await faultOf(bytes)).toBe(expected);
    },
  );

  it('has its long strings written in their original form, with their escapes', async () => {
    const escaped = `"${'\\u4e2d\\/'.repeat(100_000)}"`;
    const plain = `"${'漢 "'.replace('"', '\\"').repeat(1_000)}"`;
    const got = await read(`{ "b": ${escaped} , "a": [${plain}, "\\u4e2d"] }`);
    expect(written(got)).toBe(`{"b":${escaped},"a":[${plain},"中"]}`);
  });

  it('is never cut within an escape, wherever it stands, and its length in bytes is known', async () => {
    for (const piece of [
      '\\\\',
      '\\u4e2d',
      'x\\n',
      '\\\\\\"',
      'xyz\\\\\\u0041',
      '漢\\t',
      '\\ud83d\\ude00é',
    ]) {
      for (let before = 0; before < 6; before++) {
        const text = `"${'x'.repeat(before)}${piece.repeat(Math.ceil((1.25 * BYTES_AT_ONCE) / piece.length))}"`;
        const { value, written: strings } = await readJsonText(Buffer.from(text));
        expect(value === JSON.parse(text)).toBe(true);
        expect(strings?.byteLengthOf(value as string)).toBe(Buffer.byteLength(value as string));
      }
    }
  });

  it.each([0, 1, 2, 3])('has no character that must be escaped, wherever it stands: %d', async (odd) => {
    const length = BYTES_AT_ONCE + 64;
    for (const at of [0, 1, 5, 1_000, BYTES_AT_ONCE, length - 1]) {
      const body = Buffer.alloc(odd + length + 2, 'x');
      body[odd] = body[odd + length + 1] = 34;
      const bytes = body.subarray(odd);
      expect(await faultOf(bytes)).toBe('read');
      bytes[1 + at] = 0x1f;
      expect(await faultOf(bytes)).toBe('syntax');
    }
  });

  it.each([
    ['plain', 'word ', 0],
    ['with escapes', 'word\\n', 0],
    ['with one at its end', 'word ', 2],
  ])('is neither copied piece by piece nor searched again for each: %s', async (_what, piece, escaped) => {
    const text = Buffer.from(`["${piece.repeat(1_000_000 / piece.length)}${'\\n'.repeat(escaped)}"]`);
    const joined = jest.spyOn(Buffer, 'concat');
    const found = jest.spyOn(Buffer.prototype, 'indexOf');
    await readJsonText(text);
    const searched = found.mock.calls.map(([, from], i) => {
      const at = Number(found.mock.results[i]?.value);
      const { length } = found.mock.contexts[i] as Buffer;
      return (at < 0 ? length : at) - Number(from ?? 0);
    });
    const joins = joined.mock.calls.length;
    joined.mockRestore();
    found.mockRestore();
    expect(joins).toBe(0);
    expect(searched.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(4 * text.length);
  });

  it('has its long strings written without a copy of them', async () => {
    const length = 4 * LONG;
    const bytes = Buffer.from(within(`{"a":"${'x'.repeat(length)}"}`));
    const { value, written: strings } = await readJsonText(bytes);
    if (!strings) throw new Error('it was not read in turns');
    const shared = writeJson(value, strings).filter(({ buffer }) => buffer === bytes.buffer);
    expect(shared.map(({ length }) => length)).toEqual([length]);
  });

  it('has only the last value of a duplicate name, and nothing else', async () => {
    const [one, two] = ['x', 'y'].map((letter) => `"${letter.repeat(LONG)}"`) as [string, string];
    const got = await read(`{"a":${one},"a":${two}}`);
    expect(written(got)).toBe(`{"a":${two}}`);
  });

  it('is written with its later changes', async () => {
    const long = `"${'x'.repeat(LONG)}"`;
    const { value, written: strings } = await read(`{"a":${long},"b":${long}}`);
    const { b } = value as { b: string };
    if (!strings) throw new Error('it was not read in turns');
    const again = Buffer.concat(writeJson({ b, c: `${b}!`, d: undefined }, strings)).toString();
    expect(again).toBe(`{"b":${long},"c":"${b}!"}`);
  });

  it('with many strings of one length is written in linear time, in any order', async () => {
    const strings = Array.from(
      { length: 3_000 },
      (_, i) => `${'x'.repeat(LONG)}${String(i).padStart(4, '0')}`,
    );
    const { value, written: known } = await read(JSON.stringify(strings));
    if (!known) throw new Error('it was not read in turns');
    const turned = [...(value as string[])].reverse();
    expect(Buffer.concat(writeJson(turned, known)).toString()).toBe(JSON.stringify(turned));
  });

  it('is not parsed if it has too many values, counted outside of strings', async () => {
    const text = `[${'1,'.repeat(99)}"${',[{'.repeat(LONG)}"]`;
    expect(await faultOf(Buffer.from(within(text)), 101)).toBe('read');
    expect(await faultOf(Buffer.from(within(`[${text}]`)), 101)).toBe('values');
    expect(await faultOf(Buffer.from(within(`${text}}`)), 100)).toBe('values');
  });

  it.each([
    ['half of a character', Buffer.from([0xe6, 0xbc])],
    ['half of a pair', Buffer.from([0xed, 0xa0, 0xbd])],
    ['more than it takes', Buffer.from([0xc0, 0x80])],
  ])('is refused if it is no UTF-8: %s', async (_what, bad) => {
    for (const room of [0, LONG, BYTES_AT_ONCE - 1, 2 * BYTES_AT_ONCE]) {
      const text = [Buffer.from(`"${'x'.repeat(room)}`), bad, Buffer.from(`${'x'.repeat(room)}"`)];
      expect(await faultOf(Buffer.concat(text))).toBe('encoding');
    }
  });

  it('is refused if a byte-order mark begins it', async () => {
    expect(await faultOf(Buffer.from(`\uFEFF"${'x'.repeat(BYTES_AT_ONCE)}"`))).toBe('syntax');
  });
});

describe('others have their turns, whatever a long text contains', () => {
  it.each<[string, string]>([
    ['letters', 'x'],
    ['Chinese characters', '漢'],
    ['escapes', '\\u4e2d'],
    ['quotes', '\\"'],
    ['quotes among letters', `${'x'.repeat(40)}\\"`],
    ['strings', '","'],
    ['long strings', `${'x'.repeat(2_000)}","`],
  ])('%s', async (_what, piece) => {
    const text = `["${piece.repeat(Math.floor((4 * 1024 * 1024) / Buffer.byteLength(piece)))}"]`;
    const { result, turns } = await turnsBeside(() => readJsonText(Buffer.from(text)));
    const { value } = result;
    expect(turns).toBeGreaterThanOrEqual(16);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('objects, of which a short text has thousands', async () => {
    const chain = '{"a":'.repeat(40) + '{}' + '}'.repeat(40);
    const members = Array.from({ length: 4_000 }, (_, i) => `"m${String(i)}":${chain}`);
    const text = `{${members.join(',')}}`;
    const { turns } = await turnsBeside(() => readJsonText(Buffer.from(text)));
    expect(turns).toBeGreaterThanOrEqual(text.length / (128 * 1024));
  });
});
