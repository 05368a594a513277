import type { IncomingHttpHeaders } from 'node:http';

/** The part of a request that carries credentials. `IncomingMessage` is one. */
export interface CredentialHeaders {
  headers: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>;
  /** Names and values in turn, as they were sent. Needed to see that a header came twice. */
  rawHeaders?: readonly string[];
}

export type BearerResult =
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
