const BACKSLASH = 0x5c;
const U = 0x75;
const D = 0x64;
const LOWER_CASE = 0x20;

/** The length of `\uXXXX`. */
export const UNICODE_ESCAPE_BYTES = 6;

/** The bytes of an unfit escape become those of U+FFFD, which are as many. */
const REPLACEMENT = Buffer.from('\\ufffd');
const NUL = Buffer.from('\\u0000');

/** Whether an escape of a JSON text stands for half of a surrogate pair, and for which one. */
export function halfAt(bytes: Buffer, at: number): 'high' | 'low' | undefined {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== U || toLower(bytes[at + 2]) !== D) return undefined;
  const digit = hexDigit(bytes[at + 3]);
  if (digit < 0x8 || hexDigit(bytes[at + 4]) < 0 || hexDigit(bytes[at + 5]) < 0) return undefined;
  return digit < 0xc ? 'high' : 'low';
}

export function isNulAt(bytes: Buffer, at: number): boolean {
  for (let i = 2; i < UNICODE_ESCAPE_BYTES; i++) if (bytes[at + i] !== NUL[i]) return false;
  return true;
}

export function replaceEscape(bytes: Buffer, at: number): void {
  bytes.set(REPLACEMENT, at);
}

function toLower(byte = 0): number {
  return byte | LOWER_CASE;
}

/** -1 for any other byte. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = toLower(byte);
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
