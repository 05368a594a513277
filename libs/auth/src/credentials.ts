import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes from here on are discarded: they would make the first letters of the alphabet more likely. */
const FIRST_BIASED_BYTE = 256 - (256 % ALPHABET.length);

/** `length` letters and digits, all equally likely. */
export function randomBase62(length: number, bytesOf: (count: number) => Buffer = randomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of bytesOf(length - text.length)) {
      if (byte < FIRST_BIASED_BYTE) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

/** A whole number in base 62, padded with zeros to `length`. */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / ALPHABET.length)) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
  }
  return text.padStart(length, '0');
}

/** The prefix of every API key; no session token has it. */
export const API_KEY_PREFIX = 'ak-';

const ENTROPY_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const API_KEY = /^ak-([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;
const API_KEY_LENGTH = API_KEY_PREFIX.length + ENTROPY_LENGTH + CHECKSUM_LENGTH;
const HINT_LENGTH = 4;

/**
 * A new API key: `ak-`, 32 base62 characters (190 bits) of entropy and their CRC32. Its owner sees it only
 * once.
 */
export function createApiKeySecret(): string {
  const entropy = randomBase62(ENTROPY_LENGTH);
  return API_KEY_PREFIX + entropy + checksumOf(entropy);
}

/**
 * Whether a text is a well-formed API key. A typing error, or a guess without the right checksum, costs no
 * look-up. Takes constant time for a text of any other length.
 */
export function isWellFormedApiKey(text: string): boolean {
  if (text.length !== API_KEY_LENGTH) return false;
  const [, entropy, checksum] = API_KEY.exec(text) ?? [];
  return entropy !== undefined && checksumOf(entropy) === checksum;
}

/** The last four characters, by which owners recognise a key. */
export function hintOf(secret: string): string {
  return secret.slice(-HINT_LENGTH);
}

function checksumOf(entropy: string): string {
  return toBase62(crc32(entropy), CHECKSUM_LENGTH);
}

/** A server-side secret for hashing keys. */
interface Pepper {
  version: number;
  secret: Buffer;
}

export interface HashedSecret {
  hmac: Buffer;
  pepperVersion: number;
}

export interface KeyHasher {
  /** The hash to store for a new secret, under the highest pepper version. */
  hash(secret: string): HashedSecret;
  /** Every hash under which a secret may be stored, the current version first. */
  candidates(secret: string): Buffer[];
}

/**
 * Hashes API keys with HMAC-SHA-256 under a pepper, so that a copy of the database alone does not allow
 * testing guesses. A key has 190 bits of entropy, so a slow hash would protect nothing. Throws `RangeError`
 * without a pepper.
 */
export function createKeyHasher(peppers: readonly Pepper[]): KeyHasher {
  const newestFirst = [...peppers].sort((a, b) => b.version - a.version);
  const [current] = newestFirst;
  if (!current) throw new RangeError('at least one pepper is needed');

  return {
    hash: (secret) => ({ hmac: hmacOf(secret, current), pepperVersion: current.version }),
    candidates: (secret) => newestFirst.map((pepper) => hmacOf(secret, pepper)),
  };
}

function hmacOf(secret: string, pepper: Pepper): Buffer {
  return createHmac('sha256', pepper.secret).update(secret).digest();
}

/** The part of a request that carries credentials, such as `IncomingMessage`. */
export interface CredentialHeaders {
  headers: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>;
  /** Alternating names and values, as sent. Needed to detect a repeated header. */
  rawHeaders?: readonly string[];
}

type BearerResult =
  | { kind: 'none' }
  /** An `Authorization` header that is not a single `Bearer` with a token. */
  | { kind: 'malformed'; reason: 'sent_twice' | 'not_bearer' | 'empty' }
  /** The text after `Bearer`; its form is not checked here. */
  | { kind: 'token'; token: string };

/** Reads `Authorization: Bearer <token>`. The scheme is case-insensitive (RFC 9110, section 11.1). */
export function readBearer({ headers, rawHeaders = [] }: CredentialHeaders): BearerResult {
  // Node keeps the first of two; a proxy in front may have used the second.
  if (countOf('authorization', rawHeaders) > 1) return { kind: 'malformed', reason: 'sent_twice' };
  const { authorization } = headers;
  if (authorization === undefined) return { kind: 'none' };

  const space = authorization.indexOf(' ');
  const scheme = space < 0 ? authorization : authorization.slice(0, space);
  if (scheme.toLowerCase() !== 'bearer') return { kind: 'malformed', reason: 'not_bearer' };
  const token = space < 0 ? '' : authorization.slice(space + 1).trim();
  return token === '' ? { kind: 'malformed', reason: 'empty' } : { kind: 'token', token };
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}

const ENTROPY_BYTES = 28;
const CRC_BYTES = 4;
const BODY = /^[A-Za-z0-9_-]{43}$/;
const BODY_LENGTH = 43;

const SESSION_PREFIX = 'st-';
const LINK_PREFIX = 'lt-';
/** A session, a link that begins one, and a key of the operator's API. */
export const MANAGEMENT_KEY_PREFIX = 'mk-';
const OPERATOR_PREFIXES = { session: 'ot-', link: 'ol-', key: MANAGEMENT_KEY_PREFIX } as const;

/**
 * A new session token: `st-` and 43 base64url characters, for 224 bits of entropy and their CRC32. Its owner
 * sees it only once.
 */
export function createSessionToken(): string {
  return createToken(SESSION_PREFIX);
}

/** Whether a text is a well-formed session token. As for API keys, a wrong checksum costs no look-up. */
export function isWellFormedSessionToken(text: string): boolean {
  return isWellFormed(SESSION_PREFIX, text);
}

/** A new token of a one-time link: `lt-` and 43 base64url characters, like a session token. */
export function createLinkToken(): string {
  return createToken(LINK_PREFIX);
}

/** Whether a text is a well-formed link token. */
export function isWellFormedLinkToken(text: string): boolean {
  return isWellFormed(LINK_PREFIX, text);
}

/** A new credential of an operator: `ot-`, `ol-` or `mk-`, and otherwise like a session token. */
export function createOperatorToken(kind: keyof typeof OPERATOR_PREFIXES): string {
  return createToken(OPERATOR_PREFIXES[kind]);
}

export function isWellFormedOperatorToken(kind: keyof typeof OPERATOR_PREFIXES, text: string): boolean {
  return isWellFormed(OPERATOR_PREFIXES[kind], text);
}

/** The stored form of a token or a management key. It is random enough for a plain hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function createToken(prefix: string): string {
  const entropy = randomBytes(ENTROPY_BYTES);
  return prefix + Buffer.concat([entropy, crcOf(prefix, entropy)]).toString('base64url');
}

function isWellFormed(prefix: string, text: string): boolean {
  if (text.length !== prefix.length + BODY_LENGTH || !text.startsWith(prefix)) return false;
  const body = text.slice(prefix.length);
  if (!BODY.test(body)) return false;
  const bytes = Buffer.from(body, 'base64url');
  // The last character has two bits more than the bytes: of the four that decode alike, only one is the
  // token.
  if (bytes.toString('base64url') !== body) return false;
  return crcOf(prefix, bytes.subarray(0, ENTROPY_BYTES)).equals(bytes.subarray(ENTROPY_BYTES));
}

/** Includes the prefix, so that a token of one kind is never valid as the other. */
function crcOf(prefix: string, entropy: Buffer): Buffer {
  const crc = Buffer.alloc(CRC_BYTES);
  crc.writeUInt32BE(crc32(entropy, crc32(prefix)));
  return crc;
}

/** The session cookie of a browser. Source: API specification, "Account session". */
export const SESSION_COOKIE = 'service_token';

type SessionCredential =
  | { kind: 'none' }
  /** Not a session: an API key, or an `Authorization` header of another form. */
  | { kind: 'wrong' }
  /** Two credentials that are not the same. */
  | { kind: 'conflict' }
  | { kind: 'session'; token: string; source: 'bearer' | 'cookie' };

/**
 * The session credential of a request. If both places have the same token, the bearer counts, since no
 * foreign page can make a browser send it.
 */
export function readSessionCredential(request: CredentialHeaders): SessionCredential {
  const bearer = readBearer(request);
  if (bearer.kind === 'malformed') return { kind: bearer.reason === 'sent_twice' ? 'conflict' : 'wrong' };
  if (bearer.kind === 'token' && bearer.token.startsWith(API_KEY_PREFIX)) return { kind: 'wrong' };

  const [cookie = '', ...others] = readCookies(SESSION_COOKIE, request.headers.cookie ?? '');
  // Even if they are equal: one of them was set by another host of the domain, or for another path.
  if (others.length > 0) return { kind: 'conflict' };
  if (bearer.kind === 'token') {
    return cookie !== '' && cookie !== bearer.token
      ? { kind: 'conflict' }
      : { kind: 'session', token: bearer.token, source: 'bearer' };
  }
  return cookie === '' ? { kind: 'none' } : { kind: 'session', token: cookie, source: 'cookie' };
}

/** Every value of a cookie name. A token needs no quotes and no escapes, so none are decoded. */
export function readCookies(name: string, header: string): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
