import { Buffer } from 'node:buffer';

/** Checked at once. */
const PART_LENGTH = 64 * 1024;
/** For the OpenAPI document. */
export const BASE64_PATTERN = '[A-Za-z0-9+/]+={0,2}$';
const BASE64 = new RegExp(`^${BASE64_PATTERN}`);
const PADDING_LENGTH = 2;
/** Receives what a part decodes to; nobody reads it. */
const decoded = Buffer.allocUnsafeSlow((PART_LENGTH / 4) * 3);

/**
 * Whether a text is base64 from `start` on. Decoding skips what is not base64, so a part that decodes to fewer bytes
 * than its characters stand for is none. A regular expression takes five times as long: 5 ms for 4 MiB.
 */
export function isBase64(text: string, start = 0): boolean {
  if (text.includes('-', start) || text.includes('_', start)) return false;
  let at = start;
  for (; text.length - at > PART_LENGTH + PADDING_LENGTH; at += PART_LENGTH) {
    const part = text.slice(at, at + PART_LENGTH);
    // Of a character beyond ASCII, one byte is decoded.
    if (Buffer.byteLength(part) > PART_LENGTH) return false;
    if (decoded.write(part, 'base64') < decoded.length) return false;
  }
  return BASE64.test(text.slice(at));
}
