import { Buffer } from 'node:buffer';
import { partsOf } from './text-parts';

/** Checked at once. */
const PART_LENGTH = 64 * 1024;
/** For the OpenAPI document. */
export const BASE64_PATTERN = '[A-Za-z0-9+/]+={0,2}$';
const BASE64 = new RegExp(`^${BASE64_PATTERN}`);
/** A group of base64, and the bytes that it stands for. */
const CHARACTERS_OF_GROUP = 4;
const BYTES_OF_GROUP = 3;
/** Up to two characters of padding, and one before them. */
const LAST_LENGTH = 3;
/** Receives what a part decodes to; nobody reads it. */
const decoded = Buffer.allocUnsafeSlow((PART_LENGTH / CHARACTERS_OF_GROUP) * BYTES_OF_GROUP);

/**
 * Whether a text is base64 from `start` on, which is in its first part. Decoding skips what is not base64, so characters
 * that decode to fewer bytes than they stand for are none. A regular expression takes five times as long: 5 ms for 4 MiB.
 */
export function isBase64(text: string, start = 0): boolean {
  let rest = '';
  for (const [i, part] of partsOf(text).entries()) {
    const begun = i === 0 ? part.slice(start) : part;
    const end = Math.max(0, begun.length - LAST_LENGTH);
    const whole = end - (end % CHARACTERS_OF_GROUP);
    if (!isUnpadded(begun, whole)) return false;
    rest += begun.slice(whole);
  }
  return BASE64.test(rest);
}

/** Whether the first characters of a text are base64 without padding: `end` is a multiple of a group. */
function isUnpadded(text: string, end: number): boolean {
  for (let at = 0; at < end; at += PART_LENGTH) {
    const part = text.slice(at, Math.min(at + PART_LENGTH, end));
    if (part.includes('-') || part.includes('_')) return false;
    // `write` decodes one byte of a character beyond ASCII.
    if (Buffer.byteLength(part) > part.length) return false;
    if (decoded.write(part, 'base64') < (part.length / CHARACTERS_OF_GROUP) * BYTES_OF_GROUP) return false;
  }
  return true;
}
