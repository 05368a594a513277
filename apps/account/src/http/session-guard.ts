import type { IncomingHttpHeaders } from 'node:http';
import { allowsOrigin, type ApiKeyIdentity, type SessionIdentity, WRONG_ORIGIN } from '@farebox/accounts';
import { type CredentialHeaders, isWellFormedApiKey, readBearer, readSessionCredential } from '@farebox/auth';
import { ApiError } from '@farebox/errors';
import { isListed } from '@farebox/http';

type OriginHeaders = Pick<IncomingHttpHeaders, 'origin' | 'host'> & { 'sec-fetch-site'?: unknown };

/**
 * Whether a browser says that a request comes from a page of this very host. A proxy in front must pass `Host` on.
 * If a browser sends both headers they must agree; `null`, another host and neither header are refused.
 */
export function isSameOrigin(headers: OriginHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (headers.origin === undefined) return site === 'same-origin';
  return headers.host !== undefined && isOriginOf(headers.origin, headers.host);
}

/** The scheme is the origin's own word: this process sees none behind a proxy that ends TLS. */
function isOriginOf(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return false;
  const own = `${url.protocol}//${host}`;
  return url.origin === origin.toLowerCase() && URL.canParse(own) && new URL(own).origin === url.origin;
}

/**
 * Nobody is signed in by a foreign page: it could make its visitor work, and pay, in an account of its own. A form can
 * be sent from anywhere, so it must say that it comes from here. A program that is no browser says nothing, and may
 * send JSON; a browser says where its page is from, which may be a console elsewhere that the operator lists. Throws `authentication_error`.
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

export type FindSession = (token: string) => Promise<SessionIdentity | undefined>;

interface GuardRules {
  /** Whether the account must be active. */
  needsAccess?: boolean | undefined;
  /** Origins that may make changes by cookie. */
  consoleOrigins?: readonly string[];
}

const READING_METHODS = new Set(['GET', 'HEAD']);

/**
 * Lets a request through that carries a live session of an account, with access if that is needed. Looks at the headers alone.
 * Throws, in this order: 400 for two credentials that disagree; 401 for none, for an API key, for a write by cookie
 * from another origin, for a session that does not live; 403 `beta_access_required`.
 */
export async function requireSession(
  request: GuardedRequest,
  findSession: FindSession,
  { needsAccess = true, consoleOrigins = [] }: GuardRules = {},
): Promise<SessionIdentity> {
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
      message: 'A change that is authorised by cookie must come from a page of this service.',
    });
  }
  const session = await findSession(credential.token);
  if (!session) throw sessionRequired();
  if (needsAccess && session.inviteStatus !== 'active') throw new ApiError('beta_access_required');
  return session;
}

function sessionRequired(): ApiError {
  return new ApiError('authentication_error', {
    message:
      'A valid account session is needed here, as "Authorization: Bearer <session token>" or as a cookie.',
  });
}

export type FindApiKey = (secret: string) => Promise<ApiKeyIdentity | undefined>;

const API_KEY_PREFIX = 'ak-';

/** The secret of an API key, if a request carries what is to be one. Throws `invalid_api_key` if it cannot be a key. */
export function readApiKeySecret(headers: CredentialHeaders): string | undefined {
  const bearer = readBearer(headers);
  if (bearer.kind !== 'token' || !bearer.token.startsWith(API_KEY_PREFIX)) return undefined;
  if (!isWellFormedApiKey(bearer.token)) throw new ApiError('invalid_api_key');
  return bearer.token;
}

/**
 * Throws, in this order: `invalid_api_key`, `expired_api_key`, `authentication_error` if the key is for pages of other
 * origins, `beta_access_required`.
 */
export function requireLiveKey(
  identity: ApiKeyIdentity | undefined,
  origin: string | undefined,
): ApiKeyIdentity {
  if (!identity || identity.status === 'revoked') throw new ApiError('invalid_api_key');
  if (identity.status === 'expired') throw new ApiError('expired_api_key');
  if (!allowsOrigin(identity, origin))
    throw new ApiError('authentication_error', { param: 'Origin', message: WRONG_ORIGIN });
  if (identity.inviteStatus !== 'active') throw new ApiError('beta_access_required');
  return identity;
}
