import { createHash, randomBytes } from 'node:crypto';

const ENTROPY_BYTES = 32;
const BODY = /^[A-Za-z0-9_-]{43}$/;
const BODY_LENGTH = 43;

const SESSION_PREFIX = 'st-';
const LINK_PREFIX = 'lt-';

/** A new session token: `st-` and 43 base64url characters (256 bits). Shown to its owner once. */
export function createSessionToken(): string {
  return createToken(SESSION_PREFIX);
}

/** Whether a text can be a session token at all. */
export function isWellFormedSessionToken(text: string): boolean {
  return isWellFormed(SESSION_PREFIX, text);
}

/** A new token of a one-time link: `lt-` and 43 base64url characters (256 bits). */
export function createLinkToken(): string {
  return createToken(LINK_PREFIX);
}

/** Whether a text can be the token of a link at all. */
export function isWellFormedLinkToken(text: string): boolean {
  return isWellFormed(LINK_PREFIX, text);
}

/** What is stored of a token of either kind. The token is random enough for a plain hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function createToken(prefix: string): string {
  return prefix + randomBytes(ENTROPY_BYTES).toString('base64url');
}

function isWellFormed(prefix: string, text: string): boolean {
  return (
    text.length === prefix.length + BODY_LENGTH &&
    text.startsWith(prefix) &&
    BODY.test(text.slice(prefix.length))
  );
}
