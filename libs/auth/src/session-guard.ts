import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@farebox/errors';
import { requireAccess } from './api-key-guard';
import { type CredentialHeaders, readSessionCredential } from './credentials';

type OriginHeaders = Pick<IncomingHttpHeaders, 'origin' | 'host'> & { 'sec-fetch-site'?: unknown };

/**
 * Whether the browser's headers show that a request comes from a page of this host. A proxy in front must
 * pass `Host` on. If a browser sends both headers they must agree; `null`, another host and a missing header
 * are refused.
 */
export function isSameOrigin(headers: OriginHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (headers.origin === undefined) return site === 'same-origin';
  return headers.host !== undefined && isOriginOf(headers.origin, headers.host);
}

/** The origin's own scheme counts: behind a proxy that ends TLS this process sees none. */
function isOriginOf(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return false;
  const own = `${url.protocol}//${host}`;
  return url.origin === origin.toLowerCase() && URL.canParse(own) && new URL(own).origin === url.origin;
}

/**
 * Prevents foreign pages from signing in a visitor, who would then work and pay in somebody else's account. A
 * form can be sent from anywhere, so it must prove that it comes from here. A program other than a browser
 * sends no origin and may send JSON; a browser names the origin of its page, which may be a console elsewhere
 * that the operator lists. Throws `authentication_error`.
 */
export function requireOwnOrigin(
  headers: IncomingHttpHeaders,
  { isForm, consoleOrigins = [] }: { isForm: boolean; consoleOrigins?: readonly string[] },
): void {
  if (!isForm && isListed(headers.origin, consoleOrigins)) return;
  const isBrowser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  if ((isForm || isBrowser) && !isSameOrigin(headers)) {
    throw new ApiError('authentication_error', { message: 'Sign in from a page of this service.' });
  }
}

export interface GuardedRequest extends CredentialHeaders {
  method: string;
  headers: IncomingHttpHeaders;
}

interface GuardRules {
  /** Whether the account must be active. */
  needsAccess?: boolean | undefined;
  /** Origins that may make changes by cookie. */
  consoleOrigins?: readonly string[];
}

const READING_METHODS = new Set(['GET', 'HEAD']);

/**
 * Admits a request with a live session of an account, which must have access if that is required. Reads only
 * the headers. Throws, in this order: 400 for two credentials that disagree; 401 for a missing credential, an
 * API key, a write by cookie from another origin, or a dead session; 403 `beta_access_required`.
 */
export async function requireSession<Session extends { inviteStatus: string }>(
  request: GuardedRequest,
  findSession: (token: string) => Promise<Session | undefined>,
  { needsAccess = true, consoleOrigins = [] }: GuardRules = {},
): Promise<Session> {
  const credential = readSessionCredential(request);
  if (credential.kind === 'conflict') {
    throw new ApiError('invalid_request_error', {
      message: 'The request carries two credentials that are not the same. Send one.',
    });
  }
  if (credential.kind !== 'session') throw sessionRequired();
  if (
    credential.source === 'cookie' &&
    !READING_METHODS.has(request.method) &&
    !isSameOrigin(request.headers) &&
    !isListed(request.headers.origin, consoleOrigins)
  ) {
    throw new ApiError('authentication_error', {
      message: 'A change authorised by cookie must come from a page of this service.',
    });
  }
  const session = await findSession(credential.token);
  if (!session) throw sessionRequired();
  if (needsAccess) requireAccess(session);
  return session;
}

function sessionRequired(): ApiError {
  return new ApiError('authentication_error', {
    message:
      'A valid account session is needed here, as "Authorization: Bearer <session token>" or as a cookie.',
  });
}

/** Whether a request says that a page of a listed origin sends it: by the exact origin, which no page can choose. */
export function isListed(origin: string | undefined, origins: readonly string[]): boolean {
  return origin !== undefined && origins.includes(origin);
}
