import { API_KEY_PREFIX } from './api-key-secret';
import { readBearer, type CredentialHeaders } from './bearer';

/** The cookie in which a browser carries the session. Source: API specification, "Account session". */
export const SESSION_COOKIE = 'service_token';

export type SessionCredential =
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
