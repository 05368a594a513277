import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from './base62';

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
