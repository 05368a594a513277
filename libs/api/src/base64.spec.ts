import { isBase64 } from './base64';
import { withParts } from './text-parts';

const PART = 64 * 1024;
const AS_DEFINED = /^[A-Za-z0-9+/]+={0,2}$/;
const letters = (length: number): string => 'Az09+/'.repeat(Math.ceil(length / 6)).slice(0, length);

const LENGTHS = [1, 4, PART - 1, PART, PART + 1, PART + 2, PART + 3, PART + 4, 2 * PART + 2, 2 * PART + 3];

it.each(LENGTHS)('%i characters of base64 are base64, with and without padding', (length) => {
  for (const padding of ['', '=', '==']) expect(isBase64(letters(length) + padding)).toBe(true);
  expect(isBase64(`data:${letters(length)}`, 5)).toBe(true);
});

const OTHERS = ['-', '_', '=', ' ', '\n', '\0', 'é', '€', 'Ł', '\u{1f600}', '.', '=='];

it.each(OTHERS)(
  '%j within base64, at its beginning and at its end is found like by its definition',
  (other) => {
    for (const length of LENGTHS)
      for (const at of [0, 1, 2, 3, PART - 2, PART - 1, PART, PART + 1, length - 1, length]) {
        if (at > length) continue;
        const text = letters(at) + other + letters(length - at);
        expect(isBase64(text)).toBe(AS_DEFINED.test(text));
      }
  },
);

it('nothing, and padding alone, are not base64', () => {
  for (const text of ['', '=', '==', '===']) expect(isBase64(text)).toBe(false);
  expect(isBase64(`${letters(3 * PART)}===`)).toBe(false);
});

it.each([...OTHERS, ''])('%j in a text that was read in parts is found like in the whole', (other) => {
  const text = `data:${letters(1_000)}${other}${letters(998)}`;
  for (const padding of ['', '=', '==', '==='])
    for (let length = 1; length < 40; length++) {
      const whole = text + letters(length) + padding;
      const parts = whole.match(new RegExp(`[^]{1,${String(4 + length)}}`, 'gu')) ?? [];
      const isInParts = withParts(
        () => parts,
        () => isBase64(whole, 5),
      );
      expect(isInParts).toBe(AS_DEFINED.test(whole.slice(5)));
    }
});
