import { randomBytes } from 'node:crypto';

/** Digits and letters that nobody takes for another one. Source: Crockford's base 32. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 8;
const GROUP_LENGTH = 4;
const CODE = new RegExp(`^[${ALPHABET}]{${String(LENGTH)}}$`);

/** A new code for signing in: 8 characters, 40 bits, which is enough for few attempts in a short time. */
export function createSignInCode(): string {
  // 256 is a multiple of the alphabet's length: every character is equally likely.
  return [...randomBytes(LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}

/** As people read it: `K7QM-2XRT`. */
export function toShownCode(code: string): string {
  return `${code.slice(0, GROUP_LENGTH)}-${code.slice(GROUP_LENGTH)}`;
}

/** The code that somebody typed, in any case, with or without its hyphen; `undefined` if it can be none. */
export function fromTypedCode(text: string): string | undefined {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return CODE.test(code) ? code : undefined;
}
