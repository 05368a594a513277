import fc from 'fast-check';
import { createApiKeySecret, hintOf, isWellFormedApiKey, randomBase62, toBase62 } from './tokens';

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('createApiKeySecret', () => {
  it('makes keys of the documented form, all different and all well formed', () => {
    const secrets = Array.from({ length: 2_000 }, createApiKeySecret);
    expect(new Set(secrets).size).toBe(secrets.length);
    for (const secret of secrets) {
      expect(secret).toMatch(/^ak-[0-9A-Za-z]{38}$/);
      expect(isWellFormedApiKey(secret)).toBe(true);
    }
  });

  it('gives the last four characters as hint', () => {
    const secret = createApiKeySecret();
    expect(secret.endsWith(hintOf(secret))).toBe(true);
    expect(hintOf(secret)).toHaveLength(4);
  });
});

describe('isWellFormedApiKey', () => {
  // CRC32 of 32 ASCII zeros is 0xa0f292d0, computed elsewhere.
  it('knows a fixed example', () => {
    expect(isWellFormedApiKey(`ak-${'0'.repeat(32)}${toBase62(0xa0f292d0, 6)}`)).toBe(true);
  });

  it('notices every single mistyped character', () => {
    const secret = createApiKeySecret();
    for (let at = 3; at < secret.length; at++) {
      const typed = LETTERS[(LETTERS.indexOf(secret.charAt(at)) + 1) % LETTERS.length] ?? '';
      expect(isWellFormedApiKey(secret.slice(0, at) + typed + secret.slice(at + 1))).toBe(false);
    }
  });

  it.each([
    ['nothing', ''],
    ['the prefix', 'ak-'],
    ['another prefix', createApiKeySecret().replace('ak-', 'sk-')],
    ['upper case', createApiKeySecret().replace('ak-', 'AK-')],
    ['an inner space', createApiKeySecret().replace(/^(.{10})./, '$1 ')],
    ['a quote', createApiKeySecret().replace(/^(.{10})./, "$1'")],
    ['a NUL', createApiKeySecret().replace(/^(.{10})./, '$1\0')],
    ['ten kilobytes', `ak-${'a'.repeat(10_240)}`],
    ['a final newline', `${createApiKeySecret()}\n`],
  ])('refuses %s', (_, text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  });

  it('refuses arbitrary text', () => {
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => !isWellFormedApiKey(text)));
  });
});

describe('base 62', () => {
  it('uses each byte for the same number of letters', () => {
    let next = 0;
    const counting = (count: number): Buffer =>
      Buffer.from(Array.from({ length: count }, () => next++ % 256));
    const text = randomBase62(248, counting);
    const counts = new Map<string, number>();
    for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(62);
    expect(new Set(counts.values())).toEqual(new Set([4]));
  });

  it('writes numbers with leading zeros', () => {
    expect(toBase62(0, 6)).toBe('000000');
    expect(toBase62(61, 6)).toBe('00000z');
    expect(toBase62(62, 6)).toBe('000010');
    expect(toBase62(0xffffffff, 6)).toBe('4gfFC3');
  });
});
