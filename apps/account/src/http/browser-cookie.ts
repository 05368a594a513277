import { randomBytes } from 'node:crypto';

// By this cookie a browser is known again that has signed in before: its owner is mailed about others. It opens nothing,
// stays when a session ends, and is sent to nothing but signing in.

const NAME = 'farebox_browser';
const PATH = '/auth/sessions';
/** 400 days: browsers keep no cookie for longer. Each sign-in begins them again. Source: RFC 6265bis, section 5.5. */
const SECONDS = 34_560_000;
const ENTROPY_BYTES = 16;
const COOKIE = new RegExp(`(?:^|;) *${NAME}=([A-Za-z0-9_-]{22}) *(?:;|$)`);

/** The token of a browser that has signed in before, else a new one. */
export function browserTokenOf(cookies: string | undefined): string {
  return COOKIE.exec(cookies ?? '')?.[1] ?? randomBytes(ENTROPY_BYTES).toString('base64url');
}

/** The value of `Set-Cookie` that lets a browser be known again. */
export function toBrowserCookie(token: string, { isSecure }: { isSecure: boolean }): string {
  const secure = isSecure ? '; Secure' : '';
  return `${NAME}=${token}; Path=${PATH}; Max-Age=${String(SECONDS)}; HttpOnly${secure}; SameSite=Lax`;
}
