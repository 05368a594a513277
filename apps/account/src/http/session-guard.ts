import type { SessionIdentity } from '@farebox/accounts';
import { readSessionCredential, type CredentialHeaders } from '@farebox/auth';
import { ApiError } from '@farebox/errors';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameOrigin } from './same-origin';

export interface GuardedRequest extends CredentialHeaders {
  method: string;
  headers: IncomingHttpHeaders;
}

export type FindSession = (token: string) => Promise<SessionIdentity | undefined>;

const READING_METHODS = new Set(['GET', 'HEAD']);

/**
 * Lets a request through that carries a live session of an account with access. Looks at the headers alone.
 * Throws, in this order: 400 for two credentials that disagree; 401 for none, for an API key, for a write by cookie
 * from another origin, for a session that does not live; 403 `beta_access_required`.
 */
export async function requireSession(
  request: GuardedRequest,
  findSession: FindSession,
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
    !isSameOrigin(request.headers)
  ) {
    throw new ApiError('authentication_error', {
      message: 'A change that is authorised by cookie must come from a page of this service.',
    });
  }
  const session = await findSession(credential.token);
  if (!session) throw sessionRequired();
  if (session.inviteStatus !== 'active') throw new ApiError('beta_access_required');
  return session;
}

function sessionRequired(): ApiError {
  return new ApiError('authentication_error', {
    message:
      'A valid account session is needed here, as "Authorization: Bearer <session token>" or as a cookie.',
  });
}
