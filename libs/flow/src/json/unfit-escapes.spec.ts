import fc from 'fast-check';
import { BYTES_AT_ONCE, BYTES_OF_TURN } from '../pace';
import { JsonError } from './json-error';
import { readBody, type ReadBody } from './json-lists';
import { writeJson } from './write-json';

const PIECES = [
  'a',
  'é',
  '漢',
  '😀',
  '\\\\',
  '\\n',
  '\\"',
  'u0000',
  'ud83d',
  '\\u0001',
  '\\ud7ff',
  '\\ue000',
];
const PAIRS = ['\\ud83d\\ude00', '\\uDBFF\\uDFFF', '\\uD800\\udc00'];
const UNFIT = ['\\u0000', '\\ud83d', '\\ude00', '\\uDBFF', '\\uDC00'];
const inside = (unfit: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...PIECES, ...PAIRS, ...unfit), { maxLength: 8 }).map((pieces) => pieces.join(''));

/** The bytes before the text, which decide how it is read, and where it is cut. */
const before = fc.constantFrom(
  ...[0, 8 * 1024, 2 * BYTES_AT_ONCE].flatMap((bytes) =>
    [0, 1, 5, 6, 11].map((less) => Math.max(0, bytes - less)),
  ),
);
/** The bytes in front of what is drawn, in the same string. */
const length = fc.constantFrom(0, 5_000, BYTES_OF_TURN - 40, BYTES_OF_TURN / 2 - 7);

const bodyOf = (unfit: readonly string[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(before, length, inside(unfit), inside(unfit), inside(unfit))
    .map(([bytes, letters, name, text, other]) =>
      Buffer.from(
        `${' '.repeat(bytes)}{"model":"m","n${name}":"${other}","messages":[{"content":"${'x'.repeat(letters)}${text}","n${name}":1},{}]}`,
      ),
    );

const toFit = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();

function withFitStrings(value: unknown): unknown {
  if (typeof value === 'string') return toFit(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withFitStrings);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [toFit(name), withFitStrings(member)]),
  );
}

const sentOn = ({ value, written }: ReadBody): unknown =>
  written && JSON.parse(Buffer.concat(writeJson(value, written)).toString());

it('NUL and halves of surrogate pairs are replaced wherever they are, and whatever is sent on', async () => {
  await fc.assert(
    fc.asyncProperty(bodyOf(UNFIT), async (bytes) => {
      const expected = withFitStrings(JSON.parse(bytes.toString()));
      const read = await readBody(bytes, { replacesUnfit: true });
      expect(read.value).toEqual(expected);
      expect(sentOn(read) ?? expected).toEqual(expected);
      expect(JSON.parse(bytes.toString())).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

it('they are found, and left as they are if they shall not be replaced', async () => {
  await fc.assert(
    fc.asyncProperty(bodyOf(UNFIT), async (bytes) => {
      const text = bytes.toString();
      const parsed: unknown = JSON.parse(text);
      const { value, hasUnfit } = await readBody(bytes);
      expect(value).toEqual(parsed);
      expect(bytes.toString() === text).toBe(true);
      const isFit = JSON.stringify(withFitStrings(parsed)) === JSON.stringify(parsed);
      expect(hasUnfit).toBe(!isFit);
    }),
    { numRuns: 300 },
  );
});

it('nothing is found in other strings, and their bytes stay as they are', async () => {
  await fc.assert(
    fc.asyncProperty(bodyOf([]), async (bytes) => {
      const text = bytes.toString();
      expect(await readBody(bytes, { replacesUnfit: true })).toMatchObject({ hasUnfit: false });
      expect(bytes.toString() === text).toBe(true);
    }),
  );
});

it.each(['\\ud8', '\\ud83g', '\\u000', '\\u000g', '\\ud83d\\ude0', '\\ud83d\\ude0x', '\\ude', '\\u'])(
  'an escape that is damaged is refused, not replaced: %s',
  async (damaged) => {
    for (const end of ['', 'zzzzzzzzzzzz']) {
      const bytes = Buffer.from(`{"messages":[{"content":"${damaged}${end}"}]}`);
      const reading = Promise.resolve().then(() => readBody(bytes, { replacesUnfit: true }));
      await expect(reading).rejects.toEqual(expect.any(JsonError));
    }
  },
);
