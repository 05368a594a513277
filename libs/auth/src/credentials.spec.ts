import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  createApiKeySecret,
  createKeyHasher,
  createLinkToken,
  createSessionToken,
  hashToken,
  hintOf,
  isWellFormedApiKey,
  isWellFormedLinkToken,
  isWellFormedSessionToken,
  randomBase62,
  readBearer,
  readSessionCredential,
  toBase62,
} from './credentials';

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A token of zeros with this checksum. */
function withCrc(prefix: string, crc: number): string {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32BE(crc, 28);
  return prefix + bytes.toString('base64url');
}

describe('createApiKeySecret', () => {
  it('creates keys of the documented form, all different and well formed', () => {
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
  it('accepts a fixed example', () => {
    expect(isWellFormedApiKey(`ak-${'0'.repeat(32)}${toBase62(0xa0f292d0, 6)}`)).toBe(true);
  });

  it('detects every single mistyped character', () => {
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

const older = { version: 1, secret: Buffer.alloc(32, 1) };
const newer = { version: 2, secret: Buffer.alloc(32, 2) };

describe('createKeyHasher', () => {
  it('hashes with HMAC-SHA-256 under the highest version, whatever the order of the peppers', () => {
    const expected = { hmac: createHmac('sha256', newer.secret).update('ak-x').digest(), pepperVersion: 2 };
    expect(createKeyHasher([older, newer]).hash('ak-x')).toEqual(expected);
    expect(createKeyHasher([newer, older]).hash('ak-x')).toEqual(expected);
  });

  it('still finds hashes made before a new pepper was added', () => {
    const before = createKeyHasher([older]).hash('ak-x').hmac;
    const candidates = createKeyHasher([older, newer]).candidates('ak-x');
    expect(candidates).toHaveLength(2);
    expect(candidates[1]).toEqual(before);
  });

  it('refuses to work without a pepper', () => {
    expect(() => createKeyHasher([])).toThrow(RangeError);
  });
});

describe('session tokens', () => {
  it('have the documented form and are all different', () => {
    const tokens = Array.from({ length: 1_000 }, createSessionToken);
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const token of tokens) {
      expect(token).toMatch(/^st-[A-Za-z0-9_-]{43}$/);
      expect(isWellFormedSessionToken(token)).toBe(true);
    }
  });

  it('have a checksum, so that a mistyped one costs no look-up', () => {
    // CRC32 of "st-" and 28 zero bytes is 0xa8e86003, computed elsewhere.
    expect(isWellFormedSessionToken(withCrc('st-', 0xa8e86003))).toBe(true);
    const token = createSessionToken();
    for (let at = 3; at < token.length; at++) {
      const typed = BASE64URL[(BASE64URL.indexOf(token.charAt(at)) + 1) % BASE64URL.length] ?? '';
      expect(isWellFormedSessionToken(token.slice(0, at) + typed + token.slice(at + 1))).toBe(false);
    }
  });

  it('differ in kind', () => {
    expect(isWellFormedLinkToken(createSessionToken().replace('st-', 'lt-'))).toBe(false);
    expect(isWellFormedSessionToken(createLinkToken().replace('lt-', 'st-'))).toBe(false);
  });

  it('from before the checksum are refused', () => {
    const bytes = Buffer.concat([Buffer.alloc(28, 7), Buffer.alloc(4, 7)]);
    expect(isWellFormedSessionToken(`st-${bytes.toString('base64url')}`)).toBe(false);
  });

  it.each([
    '',
    'st-',
    'ak-' + 'a'.repeat(43),
    `st-${'a'.repeat(44)}`,
    `st-${'a'.repeat(42)}!`,
    `st-${'a'.repeat(43)}\n`,
  ])('refuse "%s"', (text) => {
    expect(isWellFormedSessionToken(text)).toBe(false);
  });

  it('are stored as SHA-256', () => {
    expect(hashToken('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('tokens of one-time links', () => {
  it('fill 32 bytes and are all different', () => {
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

it('any kind of secret matches the documented pattern within a text', () => {
  const page = readFileSync(join(__dirname, '../../../docs/use/api.md'), 'utf8');
  const [, pattern = ''] = /^ +`(\\b\(\?:ak-.+)`/m.exec(page) ?? [];
  for (let i = 0; i < 200; i++) {
    const secrets = [createApiKeySecret(), createSessionToken(), createLinkToken()];
    const text = `key: "${secrets.join('", token="')}"; task-${'a'.repeat(40)}`;
    expect(text.match(new RegExp(pattern, 'g'))).toEqual(secrets);
  }
});

describe('readBearer', () => {
  it.each([
    ['Bearer ak-1', 'ak-1'],
    ['bearer ak-1', 'ak-1'],
    ['BEARER   ak-1  ', 'ak-1'],
    // The form of a token is checked later, when its kind is known.
    ["Bearer ak-1 ' OR 1=1", "ak-1 ' OR 1=1"],
  ])('reads %s', (authorization, token) => {
    expect(readBearer({ headers: { authorization } })).toEqual({ kind: 'token', token });
  });

  it('finds no credential', () => {
    expect(readBearer({ headers: {} })).toEqual({ kind: 'none' });
  });

  it.each([
    ['Basic YTpi', 'not_bearer'],
    ['ak-1', 'not_bearer'],
    ['Bearer\tak-1', 'not_bearer'],
    ['', 'not_bearer'],
    ['Bearer', 'empty'],
    ['Bearer  ', 'empty'],
  ])('does not accept "%s"', (authorization, reason) => {
    expect(readBearer({ headers: { authorization } })).toEqual({ kind: 'malformed', reason });
  });

  it('refuses two headers, whichever Node keeps', () => {
    expect(
      readBearer({
        headers: { authorization: 'Bearer ak-1' },
        rawHeaders: ['Authorization', 'Bearer ak-1', 'Host', 'x', 'authorization', 'Bearer ak-2'],
      }),
    ).toEqual({ kind: 'malformed', reason: 'sent_twice' });
  });

  it('does not mistake a value for a name', () => {
    expect(
      readBearer({
        headers: { authorization: 'Bearer ak-1' },
        rawHeaders: ['X-Note', 'authorization', 'Authorization', 'Bearer ak-1'],
      }).kind,
    ).toBe('token');
  });
});

const read = (authorization?: string, cookie?: string) =>
  readSessionCredential({
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(cookie === undefined ? {} : { cookie }),
    },
  });

describe('readSessionCredential', () => {
  it('accepts a bearer token', () => {
    expect(read('Bearer st-1')).toEqual({ kind: 'session', token: 'st-1', source: 'bearer' });
  });

  it('finds the cookie among others', () => {
    expect(read(undefined, 'theme=dark; service_token=st-1; lang=en')).toEqual({
      kind: 'session',
      token: 'st-1',
      source: 'cookie',
    });
  });

  it('prefers the bearer token if both agree', () => {
    expect(read('Bearer st-1', 'service_token=st-1')).toMatchObject({ token: 'st-1', source: 'bearer' });
  });

  it('finds nothing in an empty cookie, under another name, or without a cookie', () => {
    expect(read()).toEqual({ kind: 'none' });
    expect(read(undefined, 'service_token=')).toEqual({ kind: 'none' });
    expect(read(undefined, 'xservice_token=st-1; SERVICE_TOKEN=st-1')).toEqual({ kind: 'none' });
  });

  it.each(['Bearer ak-1', 'Basic YTpi', 'Bearer', 'st-1'])(
    'refuses %s, with and without a cookie',
    (authorization) => {
      expect(read(authorization)).toEqual({ kind: 'wrong' });
      expect(read(authorization, 'service_token=st-1')).toEqual({ kind: 'wrong' });
    },
  );

  it.each(['st-1', 'st-2', ''])('accepts no cookie that occurs twice, the second time as "%s"', (second) => {
    for (const cookie of [
      `service_token=st-1; service_token=${second}`,
      `service_token=${second}; a=b; service_token=st-1`,
    ]) {
      expect(read(undefined, cookie)).toEqual({ kind: 'conflict' });
      expect(read('Bearer st-1', cookie)).toEqual({ kind: 'conflict' });
    }
  });

  it('refuses two credentials that disagree', () => {
    expect(read('Bearer st-1', 'service_token=st-2')).toEqual({ kind: 'conflict' });
    expect(read(undefined, 'service_token=st-1; service_token=st-2')).toEqual({ kind: 'conflict' });
    expect(
      readSessionCredential({
        headers: { authorization: 'Bearer st-1' },
        rawHeaders: ['authorization', 'Bearer st-1', 'authorization', 'Bearer st-2'],
      }),
    ).toEqual({ kind: 'conflict' });
  });
});
