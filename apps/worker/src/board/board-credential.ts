import { createHash, timingSafeEqual } from 'node:crypto';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/**
 * Whether the header `Authorization` brings the token: as a bearer token, or as the password of Basic authentication,
 * under any user name, which a browser asks for. How long it takes says nothing about the token.
 */
export function bringsToken(authorization: string | undefined, token: string): boolean {
  const given = readToken(authorization ?? '');
  return given !== undefined && timingSafeEqual(hashOf(given), hashOf(token));
}

function readToken(authorization: string): string | undefined {
  const [, bearer] = BEARER.exec(authorization) ?? [];
  if (bearer !== undefined) return bearer;
  const [, encoded] = BASIC.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? undefined : pair.slice(colon + 1);
}

/** Of one length, whatever was given. */
function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
