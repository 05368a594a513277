import { createLinkToken, hashToken, isWellFormedLinkToken } from './tokens';

describe('tokens of one-time links', () => {
  it('have 256 bits and are all different', () => {
    const tokens = Array.from({ length: 1_000 }, createLinkToken);
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const token of tokens) {
      expect(Buffer.from(token.slice('lt-'.length), 'base64url')).toHaveLength(32);
      expect(isWellFormedLinkToken(token)).toBe(true);
    }
  });

  it.each([
    '',
    'lt-',
    `st-${'a'.repeat(43)}`,
    `lt-${'a'.repeat(42)}`,
    `lt-${'a'.repeat(44)}`,
    `lt-${'a'.repeat(42)}%`,
    `lt-${'a'.repeat(43)}\n`,
  ])('are not %j', (text) => {
    expect(isWellFormedLinkToken(text)).toBe(false);
  });

  it('are stored as SHA-256', () => {
    expect(hashToken('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
