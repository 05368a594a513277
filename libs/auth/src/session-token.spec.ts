import { createSessionToken, hashToken, isWellFormedSessionToken } from './tokens';

describe('session tokens', () => {
  it('have the documented form and are all different', () => {
    const tokens = Array.from({ length: 1_000 }, createSessionToken);
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const token of tokens) {
      expect(token).toMatch(/^st-[A-Za-z0-9_-]{43}$/);
      expect(isWellFormedSessionToken(token)).toBe(true);
    }
  });

  it.each([
    '',
    'st-',
    'ak-' + 'a'.repeat(43),
    `st-${'a'.repeat(44)}`,
    `st-${'a'.repeat(42)}!`,
    `st-${'a'.repeat(43)}\n`,
  ])('refuses "%s"', (text) => {
    expect(isWellFormedSessionToken(text)).toBe(false);
  });

  it('are stored as SHA-256', () => {
    expect(hashToken('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
