import fc from 'fast-check';
import { turnsBeside } from '@farebox/testing';
import { BYTES_AT_ONCE } from '../pace';
import { JsonError } from './json-error';
import { readBody } from './json-lists';
import type { ReadJson } from './json-in-turns';
import { writeJson, writeJsonInTurns } from './write-json';

/** Makes a text long enough to be read by entries, and another one long enough to be read in turns. */
const PADDINGS = [8 * 1024, 2 * BYTES_AT_ONCE];

const padded = (text: string, bytes: number): Buffer => Buffer.from(`${' '.repeat(bytes)}${text}`);

async function readBoth(text: string, maxValues = Infinity): Promise<ReadJson[]> {
  const reads: ReadJson[] = [];
  for (const bytes of PADDINGS) reads.push(await readBody(padded(text, bytes), { maxValues }));
  return reads;
}

function written({ value, written: known }: ReadJson, changed: unknown = value): string {
  if (!known) throw new Error('it was not read by entries');
  return Buffer.concat(writeJson(changed, known)).toString();
}

/** The number of members, duplicates included. */
const membersIn = (json: string): number => json.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '').split(':').length - 1;

const name = fc.constantFrom(
  '"a"',
  '"b"',
  '"role"',
  '"\\u0061"',
  '"7"',
  '"__proto__"',
  '"toString"',
  `"${'n'.repeat(5_000)}"`,
);
const LONG = `"${'漢\\n'.repeat(1_000)}"`;
const OTHER_LONG = `"${'\\u6f22\\n'.repeat(600)}!"`;
const literal = fc.oneof(
  fc.constantFrom('null', 'true', '0', '-0', '1.50', '1e400', '12345678901234567890', '1E2'),
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\/\\u4e2d\\ud83d\\ude00"', '"\\u0000"', '"\\ud800"', LONG, OTHER_LONG),
);
const gap = fc.constantFrom('', ' ', '\n\t');
const { value: anyJson } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthIdentifier: 'json' }, literal, tie('list'), tie('object')),
  list: fc
    .tuple(fc.array(tie('value'), { maxLength: 4 }), gap)
    .map(([entries, space]) => `[${space}${entries.join(`${space},`)}${space}]`),
  object: fc
    .tuple(fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }), gap)
    .map(
      ([members, space]) =>
        `{${members.map(([key, one]) => `${space}${key}${space}:${one}`).join(',')}${space}}`,
    ),
}));
const object = fc
  .array(fc.tuple(name, anyJson), { maxLength: 3 })
  .map((members) => `{${members.map(([key, one]) => `${key}:${one}`).join(',')}}`);
/** A body with lists of objects, and anything beside and in them. */
const body = fc
  .array(
    fc.tuple(
      fc.oneof(name, fc.constantFrom('"messages"', '"tools"')),
      fc.oneof(
        anyJson,
        fc
          .tuple(object, fc.array(fc.oneof({ weight: 3, arbitrary: object }, anyJson), { maxLength: 5 }), gap)
          .map(([first, others, space]) => `[${space}${[first, ...others].join(`${space},`)}]`),
      ),
    ),
    { maxLength: 4 },
  )
  .map((members) => `{${members.map(([key, one]) => `${key}:${one}`).join(' , ')}}`);

describe('a body with lists of objects', () => {
  it('is read like JSON.parse, and written with the same meaning as by JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const parsed: unknown = JSON.parse(text);
        for (const read of await readBoth(text)) {
          expect(JSON.stringify(read.value)).toBe(JSON.stringify(parsed));
          expect(read.value).toEqual(parsed);
          if (!read.written) continue;
          const byEntries = written(read);
          read.written.forgetEntries();
          for (const again of [byEntries, written(read)]) {
            // A name that is sent twice is how one value is validated and another one used.
            expect(membersIn(again)).toBe(membersIn(JSON.stringify(parsed)));
            expect(JSON.stringify(JSON.parse(again))).toBe(JSON.stringify(parsed));
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is refused if JSON.parse refuses it, wherever it is damaged', async () => {
    const damage = fc.constantFrom('', '"', ',', ',,', '{', '}', '[', ']', ':', '\\', '\n', '1 ', '{}', 'x');
    await fc.assert(
      fc.asyncProperty(body, fc.nat(), damage, async (whole, place, put) => {
        const at = place % whole.length;
        const text = (whole.slice(0, at) + put + whole.slice(at + 1)).toWellFormed();
        let expected: unknown;
        try {
          expected = JSON.stringify(JSON.parse(text));
        } catch {
          expected = 'syntax';
        }
        const got = await readBoth(text).then(
          (reads) => reads.map(({ value }) => JSON.stringify(value)),
          (error: unknown) => [error instanceof JsonError ? error.fault : error],
        );
        expect(new Set(got)).toEqual(new Set([expected]));
      }),
      { numRuns: 250 },
    );
  });

  it('has unchanged entries sent as they came, and others as they are now', async () => {
    const entries = [
      '{ "role":"user", "content":"\\u4e2d\\n" }',
      '{"role":"user","content":"a"}',
      '{"b":1.0}',
    ];
    for (const read of await readBoth(`{"model":"m","messages":[${entries.join(',')}],"n":1}`)) {
      const { messages } = read.value as { messages: object[] };
      const [first, second, third] = messages.map((message) => ({ ...message }));
      expect(written(read, { model: 'other', messages: [first, second, third] })).toBe(
        `{"model":"other","messages":[${entries.join(',')}]}`,
      );
      expect(
        written(read, { messages: [{ role: 'system' }, first, { ...second, content: 'b' }, third] }),
      ).toBe(
        `{"messages":[{"role":"system"},${entries[0] ?? ''},{"role":"user","content":"b"},${entries[2] ?? ''}]}`,
      );
    }
  });

  it.each([
    ['a duplicate name', '{"role":"user","role":"system"}', '{"role":"system"}'],
    ['a duplicate name deep within', '{"a":[{"b":1,"b":2}]}', '{"a":[{"b":2}]}'],
    ['a number that was rounded', '{"a":12345678901234567890}', '{"a":12345678901234567000}'],
    ['a number without bounds', '{"a":1e400}', '{"a":null}'],
  ])('is not sent as it came if an entry has %s', async (_what, entry, expected) => {
    for (const read of await readBoth(`{"messages":[{},${entry}]}`))
      expect(written(read)).toBe(`{"messages":[{},${expected}]}`);
  });

  it('sends no entry as it came once they were changed in place', async () => {
    for (const read of await readBoth('{"messages":[{"content":"a\\u0000"}]}')) {
      const { messages } = read.value as { messages: { content: string }[] };
      if (messages[0]) messages[0].content = 'a';
      read.written?.forgetEntries();
      expect(written(read)).toBe('{"messages":[{"content":"a"}]}');
    }
  });

  it('is encoded again, with the same values, once its bytes are forgotten', async () => {
    const entry = `{ "a":"\\u0062", "long":"${'\\u4e2d'.repeat(3_000)}" }`;
    for (const read of await readBoth(`{"messages":[${entry}]}`)) {
      read.written?.forget();
      expect(written(read)).toBe(`{"messages":[${JSON.stringify(JSON.parse(entry))}]}`);
    }
  });

  it('has long strings sent as they came where an entry has changed', async () => {
    const long = `"${'\\u4e2d\\/'.repeat(2_000)}"`;
    for (const read of await readBoth(`{"messages":[{"content":"short"},{"content":${long}}]}`)) {
      const { messages } = read.value as { messages: { content: string }[] };
      const parts = messages.map(({ content }) => ({ parts: [{ text: content }] }));
      expect(written(read, { input: parts })).toBe(
        `{"input":[{"parts":[{"text":"short"}]},{"parts":[{"text":${long}}]}]}`,
      );
    }
  });

  it('is read however deep an entry is nested', async () => {
    const deep = `${'['.repeat(30_000)}"${'x'.repeat(5_000)}"${']'.repeat(30_000)}`;
    for (const { value } of await readBoth(`{"messages":[{"a":${deep}}]}`))
      expect(value).toHaveProperty('messages');
  });

  it('is not parsed if it has too many values', async () => {
    const text = '{"messages":[{"a":1},{"a":2}]}';
    await expect(readBoth(text, 6)).resolves.toHaveLength(2);
    await expect(readBoth(text, 5)).rejects.toMatchObject({ fault: 'values' });
  });
});

describe('others have their turns while a body is read', () => {
  const bodyOf = (entry: string, bytes: number): string => {
    const count = Math.ceil(bytes / entry.length);
    return `{"messages":[${Array.from({ length: count }, () => entry).join(',')}]}`;
  };
  const megabytes = (entry: string): string => bodyOf(entry, 4 * 1024 * 1024);

  it('an entry of many members, which is not compared at once with the one that was read', async () => {
    const entry = `{${Array.from({ length: 30_000 }, (_, i) => `"k${String(i)}":{"a":1.0}`).join(',')}}`;
    const { value, written: strings } = await readBody(Buffer.from(`{"messages":[{},${entry}]}`));
    if (!strings) throw new Error('it has no list');
    const { result, turns } = await turnsBeside(async () => writeJsonInTurns(value, strings));
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(Buffer.concat(result).toString() === JSON.stringify(value)).toBe(true);
  });

  it.each([400_000, 64_000])('many values in %d bytes', async (bytes) => {
    const text = bodyOf('{"role":"user","content":"a"}', bytes);
    const { result, turns } = await turnsBeside(async () => readBody(Buffer.from(text)));
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(result.isLong).toBe(true);
    expect(JSON.stringify(result.value) === text).toBe(true);
  });

  it.each(['xx', '漢', '\\n'])('a text of "%s" that V8 would keep on pages of its own', async (letter) => {
    const text = bodyOf(`{"role":"user","content":"${letter.repeat(70_000)}"}`, 1);
    const { value, written: strings } = await readBody(Buffer.from(text));
    const { messages } = value as { messages: { content: string }[] };
    expect(strings?.partsOf(messages[0]?.content ?? '')?.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(value) === text).toBe(true);
  });

  it('many escapes that must be replaced, in texts that are short enough to be read at once', async () => {
    const text = bodyOf(`{"role":"user","content":"${'\\u0000'.repeat(16_000)}"}`, 400_000);
    const { result, turns } = await turnsBeside(async () =>
      readBody(Buffer.from(text), { replacesUnfit: true }),
    );
    expect(turns).toBeGreaterThanOrEqual(5);
    expect(JSON.stringify(result.value) === text.replaceAll('\\u0000', '\ufffd')).toBe(true);
  });

  it.each([
    ['short messages', megabytes(JSON.stringify({ role: 'user', content: 'a \n"word" '.repeat(80) }))],
    ['long messages', megabytes(JSON.stringify({ role: 'user', content: '漢 \n'.repeat(200_000) }))],
    ['one message', megabytes(JSON.stringify({ role: 'user', content: 'x'.repeat(4 * 1024 * 1024) }))],
  ])('%s', async (_what, text) => {
    const { result, turns } = await turnsBeside(async () => readBody(Buffer.from(text)));
    expect(turns).toBeGreaterThanOrEqual(12);
    expect(JSON.stringify(result.value) === text).toBe(true);
  });
});
