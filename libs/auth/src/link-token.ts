import { createHash, randomBytes } from 'node:crypto';

const TOKEN_PREFIX = 'lt-';
const ENTROPY_BYTES = 32;
const LINK_TOKEN = /^lt-[A-Za-z0-9_-]{43}$/;
const LINK_TOKEN_LENGTH = 46;

/** A new token of a one-time link: `lt-` and 43 base64url characters (256 bits). */
export function createLinkToken(): string {
  return TOKEN_PREFIX + randomBytes(ENTROPY_BYTES).toString('base64url');
}

/** Whether a text can be the token of a link at all. */
export function isWellFormedLinkToken(text: string): boolean {
  return text.length === LINK_TOKEN_LENGTH && LINK_TOKEN.test(text);
}

/** What is stored of a token. The token is random enough for a plain hash. */
export function hashLinkToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
