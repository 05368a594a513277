import { SESSION_COOKIE } from '@farebox/auth';

/**
 * How the cookie is written. `isSecure` is off for plain http on the machine itself alone, where some clients would
 * drop a cookie that is for https.
 */
export interface CookieRules {
  isSecure: boolean;
}

/** The value of `Set-Cookie` that hands a session to a browser. */
export function toSessionCookie(token: string, expiresAt: Date, rules: CookieRules): string {
  return writeCookie(token, `Expires=${expiresAt.toUTCString()}`, rules);
}

/** The value of `Set-Cookie` that takes it back. */
export function toEndedCookie(rules: CookieRules): string {
  return writeCookie('', 'Max-Age=0', rules);
}

function writeCookie(value: string, end: string, { isSecure }: CookieRules): string {
  const secure = isSecure ? '; Secure' : '';
  return `${SESSION_COOKIE}=${value}; Path=/; ${end}; HttpOnly${secure}; SameSite=Lax`;
}
