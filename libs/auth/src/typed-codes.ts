import { randomBytes } from 'node:crypto';

/** Digits and letters that nobody takes for another one. Source: Crockford's base 32. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const SIGN_IN_LENGTH = 8;
const VOUCHER_LENGTH = 20;
const GROUP = /.{4}(?=.)/g;
const CODE = new RegExp(`^[${ALPHABET}]+$`);

function createCode(length: number): string {
  // 256 is a multiple of the alphabet's length: every character is equally likely.
  return [...randomBytes(length)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}

/** A new code for signing in: 8 characters, 40 bits, which is enough for few attempts in a short time. */
export function createSignInCode(): string {
  return createCode(SIGN_IN_LENGTH);
}

/** A new code of a voucher: 20 characters, 100 bits, which nobody guesses in years. */
export function createVoucherCode(): string {
  return createCode(VOUCHER_LENGTH);
}

/** As people read it: `K7QM-2XRT`. */
export function toShownCode(code: string): string {
  return code.replaceAll(GROUP, '$&-');
}

/** The code for signing in that somebody typed, in any case, with or without hyphens; `undefined` if it can be none. */
export function fromTypedCode(text: string): string | undefined {
  return readCode(text, SIGN_IN_LENGTH);
}

/** The same, of a voucher. */
export function fromTypedVoucherCode(text: string): string | undefined {
  return readCode(text, VOUCHER_LENGTH);
}

function readCode(text: string, length: number): string | undefined {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return code.length === length && CODE.test(code) ? code : undefined;
}
