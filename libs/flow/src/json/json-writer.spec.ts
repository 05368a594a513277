import fc from 'fast-check';
import { JsonWriter } from './json-writer';
import { WrittenJson } from './written-json';

const SEED = Number(process.env['FAREBOX_TEST_SEED'] ?? Date.now() % 2 ** 31);

/** Texts with escapes, and with halves of surrogate pairs. */
const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', '\0', 'é', '中', '😀', '\ud800', '\udc00'),
});
const longText = fc
  .tuple(text, fc.integer({ min: 1, max: 100_000 }))
  .map(([piece, length]) => piece.repeat(Math.ceil(length / (piece.length + 1))));
const leaf = fc.oneof(text, fc.double(), fc.integer(), fc.constantFrom(null, true, undefined));
const name = fc.oneof(text, fc.constantFrom('__proto__', '1'));
const small = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 4 }),
  fc.dictionary(name, fc.oneof(leaf, fc.array(leaf)), { maxKeys: 4 }),
);
/** Too long, too wide, or nested too deep to be written at once. */
const large = fc.oneof(
  longText,
  fc.tuple(small, fc.integer({ min: 1, max: 2_000 })).map(([one, count]) => Array<unknown>(count).fill(one)),
  fc.tuple(small, fc.integer({ min: 1, max: 200 })).map(([one, levels]) => nested(one, levels)),
  fc
    .tuple(text, small, fc.integer({ min: 1, max: 1_200 }))
    .map(([prefix, one, count]) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${String(i)}`, one])),
    ),
);
const part = fc.oneof(small, large);
const value = fc.oneof(
  part,
  fc.array(part, { maxLength: 5 }),
  fc.dictionary(name, fc.oneof(part, fc.array(part, { maxLength: 3 })), { maxKeys: 5 }),
);

function nested(inner: unknown, levels: number): unknown {
  let outer = inner;
  for (let level = 0; level < levels; level++) outer = level % 2 === 0 ? { outer } : [outer];
  return outer;
}

function partsOf(given: unknown, partLength: number): string[] {
  const writer = new JsonWriter(given, new WrittenJson());
  const parts: string[] = [];
  let isLast: boolean;
  do {
    const from = writer.pieces.length;
    isLast = !writer.write(partLength);
    parts.push(Buffer.concat(writer.pieces.slice(from)).toString());
  } while (!isLast);
  return parts;
}

it(`a value in parts of any length is what JSON.stringify says (seed ${String(SEED)})`, () => {
  fc.assert(
    fc.property(value, fc.integer({ min: 100, max: 300_000 }), (given, partLength) => {
      fc.pre(given !== undefined);
      expect(partsOf(given, partLength).join('') === JSON.stringify(given)).toBe(true);
    }),
    { seed: SEED, numRuns: 200 },
  );
});

it('a character behind half of one, where a long text is cut, stays whole', () => {
  const given = `${'x'.repeat(65_535)}\ud800😀`.repeat(3);
  expect(partsOf(given, 1_000).join('') === JSON.stringify(given)).toBe(true);
});

const many = <Entry>(count: number, entry: (i: number) => Entry): Entry[] =>
  Array.from({ length: count }, (_, i) => entry(i));
const PART = 100_000;
/** Of letters: what may be written beyond a part. */
const MOST_BEYOND = 70_000;

it.each<[string, unknown]>([
  ['a long text', { text: 'x'.repeat(1_000_000) }],
  ['many short texts', many(50_000, (i) => `text ${String(i)}`)],
  ['many numbers', { list: { of: many(100_000, (i) => i / 7) } }],
  ['many members', { inner: { of: Object.fromEntries(many(20_000, (i) => [`the name ${String(i)}`, {}])) } }],
  ['nested objects', many(500, (i) => nested('x'.repeat(i), 60))],
  ['a deeply nested text', nested('x'.repeat(300_000), 2_000)],
])('no part of %s is much longer than was asked for', (_what, given) => {
  const parts = partsOf(given, PART);
  expect(parts.join('')).toBe(JSON.stringify(given));
  expect(parts.length).toBeGreaterThan(2);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(PART + MOST_BEYOND);
});
