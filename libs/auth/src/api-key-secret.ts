import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes from here on are thrown away: with them, the first letters of the alphabet would come more often. */
const FIRST_BIASED_BYTE = 256 - (256 % ALPHABET.length);

/** `length` letters and digits, each of them equally likely. */
export function randomBase62(length: number, bytesOf: (count: number) => Buffer = randomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of bytesOf(length - text.length)) {
      if (byte < FIRST_BIASED_BYTE) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

/** A whole number in base 62, filled up with zeros to `length`. */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / ALPHABET.length)) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
  }
  return text.padStart(length, '0');
}

/** Every API key begins with this; no session token does. */
export const API_KEY_PREFIX = 'ak-';

const ENTROPY_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const API_KEY = /^ak-([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;
const API_KEY_LENGTH = API_KEY_PREFIX.length + ENTROPY_LENGTH + CHECKSUM_LENGTH;
const HINT_LENGTH = 4;

/** A new API key: `ak-`, 32 base62 characters (190 bits) of entropy and their CRC32. Shown to its owner once. */
export function createApiKeySecret(): string {
  const entropy = randomBase62(ENTROPY_LENGTH);
  return API_KEY_PREFIX + entropy + checksumOf(entropy);
}

/**
 * Whether a text can be an API key at all. A typing error, or a guess that does not know the checksum, costs no
 * look-up. Takes constant time for a text of any other length.
 */
export function isWellFormedApiKey(text: string): boolean {
  if (text.length !== API_KEY_LENGTH) return false;
  const [, entropy, checksum] = API_KEY.exec(text) ?? [];
  return entropy !== undefined && checksumOf(entropy) === checksum;
}

/** The last four characters, by which an owner tells one key from another. */
export function hintOf(secret: string): string {
  return secret.slice(-HINT_LENGTH);
}

function checksumOf(entropy: string): string {
  return toBase62(crc32(entropy), CHECKSUM_LENGTH);
}

/** A server-side secret under which keys are hashed. */
interface Pepper {
  version: number;
  secret: Buffer;
}

export interface HashedSecret {
  hmac: Buffer;
  pepperVersion: number;
}

export interface KeyHasher {
  /** The hash to store for a new secret: under the highest version of pepper. */
  hash(secret: string): HashedSecret;
  /** Every hash under which a secret may be stored, the current version first. */
  candidates(secret: string): Buffer[];
}

/**
 * Hashes API keys with HMAC-SHA-256 under a pepper: who has the database alone can test no guess against it.
 * A key has 190 bits of entropy, so a slow hash would protect nothing. Throws `RangeError` without a pepper.
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
