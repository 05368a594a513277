import { createHash, randomBytes } from 'node:crypto';

const TOKEN_PREFIX = 'st-';
const ENTROPY_BYTES = 32;
const SESSION_TOKEN = /^st-[A-Za-z0-9_-]{43}$/;
const SESSION_TOKEN_LENGTH = 46;

/** A new session token: `st-` and 43 base64url characters (256 bits). Shown to its owner once. */
export function createSessionToken(): string {
  return TOKEN_PREFIX + randomBytes(ENTROPY_BYTES).toString('base64url');
}

/** Whether a text can be a session token at all. */
export function isWellFormedSessionToken(text: string): boolean {
  return text.length === SESSION_TOKEN_LENGTH && SESSION_TOKEN.test(text);
}

/** What is stored of a token. The token is random enough for a plain hash. */
export function hashSessionToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
