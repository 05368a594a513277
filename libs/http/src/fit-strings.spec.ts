import { turnsBeside } from '@farebox/testing';
import { findUnfit, isFit } from './fit-strings';

const PART = 64 * 1024;
const PIECES = ['a', 'é', '漢', '\0', '\ud83d', '\ude00', '\u{1f600}', '\ud83d\ud83d\ude00', '\ufffd'];

const asDefined = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();

async function replaced(value: unknown): Promise<unknown> {
  const holder = { value };
  await findUnfit(holder, { replaces: true });
  return holder.value;
}

it.each(PIECES)('%j is replaced as far as it is unfit, wherever a long text is cut', async (piece) => {
  for (const other of PIECES)
    for (const before of [0, 1, PART - 2, PART - 1, PART, 2 * PART - 1]) {
      const text = `${'x'.repeat(before)}${piece}${other}${'y'.repeat(PART)}`;
      expect((await replaced(text)) === asDefined(text)).toBe(true);
    }
});

it('names are replaced, too, and what is fit is left as it is', async () => {
  const value = { 'a\0': ['\ud800', { b: 1, '\udc00': null }], 'c\0': 'fit', d: ['fit', true] };
  expect(await replaced(structuredClone(value))).toEqual({
    'a\uFFFD': ['\uFFFD', { b: 1, '\uFFFD': null }],
    'c\uFFFD': 'fit',
    d: ['fit', true],
  });
});

it.each([
  ['a text', 'a\0'],
  ['a name', { a: [{ '\ud800': 1 }] }],
  ['an entry', { a: [{}, ['\udc00']] }],
])('%s is found, and not replaced if it shall not be', async (_what, value) => {
  const holder = { value };
  expect(await findUnfit(holder, { replaces: false })).toBe(true);
  expect(holder).toEqual({ value });
  expect(await findUnfit(holder, { replaces: true })).toBe(true);
  expect(await findUnfit(holder, { replaces: true })).toBe(false);
});

it.each([
  ['a long text', 'a'.repeat(8 * PART)],
  ['a long text of unfit characters', '\0\ud800'.repeat(8 * PART)],
  ['many members', Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [String(i), [i]]))],
])('others have their turns beside %s', async (_what, value) => {
  const { turns } = await turnsBeside(() => findUnfit({ value }, { replaces: true }));
  expect(turns).toBeGreaterThan(2);
});

it('an emoji is fit, and half of it is not', () => {
  expect([isFit('\u{1f600}'), isFit('\ud83d'), isFit('\0'), isFit('')]).toEqual([true, false, false, true]);
});
