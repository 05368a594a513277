import { randomBytes } from 'node:crypto';

// This cookie identifies a browser: the code of a mail works in the one that asked for it, and the owner is
// mailed about one that has not signed in before. It grants no access, stays when a session ends, and is sent
// only to the sign-in endpoints.

const NAME = 'farebox_browser';
const PATH = '/auth';
/**
 * 400 days, the longest that browsers keep a cookie. Each sign-in renews it. Source: RFC 6265bis, section
 * 5.5.
 */
const SECONDS = 34_560_000;
const ENTROPY_BYTES = 16;
const COOKIE = new RegExp(`(?:^|;) *${NAME}=([A-Za-z0-9_-]{22}) *(?:;|$)`);

/** The token of a browser that has asked or signed in before, or a new one. */
export function browserTokenOf(cookies: string | undefined): string {
  return COOKIE.exec(cookies ?? '')?.[1] ?? randomBytes(ENTROPY_BYTES).toString('base64url');
}

/** The `Set-Cookie` value that makes a browser recognisable. */
export function toBrowserCookie(token: string, { isSecure }: { isSecure: boolean }): string {
  const secure = isSecure ? '; Secure' : '';
  return `${NAME}=${token}; Path=${PATH}; Max-Age=${String(SECONDS)}; HttpOnly${secure}; SameSite=Lax`;
}
