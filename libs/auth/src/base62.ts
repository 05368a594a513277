import { randomBytes } from 'node:crypto';

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
