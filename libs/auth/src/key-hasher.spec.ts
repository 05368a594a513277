import { createHmac } from 'node:crypto';
import { createKeyHasher } from './tokens';

const older = { version: 1, secret: Buffer.alloc(32, 1) };
const newer = { version: 2, secret: Buffer.alloc(32, 2) };

describe('createKeyHasher', () => {
  it('hashes with HMAC-SHA-256 under the highest version, in whatever order the peppers come', () => {
    const expected = { hmac: createHmac('sha256', newer.secret).update('ak-x').digest(), pepperVersion: 2 };
    expect(createKeyHasher([older, newer]).hash('ak-x')).toEqual(expected);
    expect(createKeyHasher([newer, older]).hash('ak-x')).toEqual(expected);
  });

  it('still finds what was hashed before a new pepper came', () => {
    const before = createKeyHasher([older]).hash('ak-x').hmac;
    const candidates = createKeyHasher([older, newer]).candidates('ak-x');
    expect(candidates).toHaveLength(2);
    expect(candidates[1]).toEqual(before);
  });

  it('refuses to work without a pepper', () => {
    expect(() => createKeyHasher([])).toThrow(RangeError);
  });
});
