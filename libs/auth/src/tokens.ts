import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { API_KEY_PREFIX } from './api-key-secret';

/** The part of a request that carries credentials. `IncomingMessage` is one. */
export interface CredentialHeaders {
  headers: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>;
  /** Names and values in turn, as they were sent. Needed to see that a header came twice. */
  rawHeaders?: readonly string[];
}

type BearerResult =
  | { kind: 'none' }
  /** An `Authorization` header that is not one `Bearer` with something behind it. */
  | { kind: 'malformed'; reason: 'sent_twice' | 'not_bearer' | 'empty' }
  /** Whatever stands behind `Bearer`: its form is not looked at here. */
  | { kind: 'token'; token: string };

/** Reads `Authorization: Bearer <token>`. The scheme is case-insensitive (RFC 9110, section 11.1). */
export function readBearer({ headers, rawHeaders = [] }: CredentialHeaders): BearerResult {
  // Node keeps the first of two; something in front of us may have looked at the second.
  if (countOf('authorization', rawHeaders) > 1) return { kind: 'malformed', reason: 'sent_twice' };
  const { authorization } = headers;
  if (authorization === undefined) return { kind: 'none' };

  const space = authorization.indexOf(' ');
  const scheme = space < 0 ? authorization : authorization.slice(0, space);
  if (scheme.toLowerCase() !== 'bearer') return { kind: 'malformed', reason: 'not_bearer' };
  const token = space < 0 ? '' : authorization.slice(space + 1).trim();
  return token === '' ? { kind: 'malformed', reason: 'empty' } : { kind: 'token', token };
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}

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

/** The cookie in which a browser carries the session. Source: API specification, "Account session". */
export const SESSION_COOKIE = 'service_token';

type SessionCredential =
  | { kind: 'none' }
  /** Not a session: an API key, or an `Authorization` header of another form. */
  | { kind: 'wrong' }
  /** Two credentials that are not the same. */
  | { kind: 'conflict' }
  | { kind: 'session'; token: string; source: 'bearer' | 'cookie' };

/**
 * The session that a request claims. Of equal tokens in both places the bearer counts, which no foreign page can
 * make a browser send.
 */
export function readSessionCredential(request: CredentialHeaders): SessionCredential {
  const bearer = readBearer(request);
  if (bearer.kind === 'malformed') return { kind: bearer.reason === 'sent_twice' ? 'conflict' : 'wrong' };
  if (bearer.kind === 'token' && bearer.token.startsWith(API_KEY_PREFIX)) return { kind: 'wrong' };

  const cookies = new Set(readCookies(SESSION_COOKIE, request.headers.cookie ?? ''));
  if (bearer.kind === 'token') {
    cookies.delete(bearer.token);
    return cookies.size > 0
      ? { kind: 'conflict' }
      : { kind: 'session', token: bearer.token, source: 'bearer' };
  }
  const [token, ...others] = cookies;
  if (others.length > 0) return { kind: 'conflict' };
  return token === undefined ? { kind: 'none' } : { kind: 'session', token, source: 'cookie' };
}

/** Every value under a name that is not empty. A token needs no quotes and no escapes, so none are undone. */
function readCookies(name: string, header: string): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter((value) => value !== '');
}
