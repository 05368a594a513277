import { isSameOrigin, MANAGEMENT_KEY_PREFIX, readBearer, readCookies } from '@farebox/auth';
import { ApiError } from '@farebox/errors';
import type { ManagementKey, OperatorSession } from '@farebox/operators';
import { mayUse, type VerbCaller } from '@farebox/verbs';
import type { Request } from 'express';

/** The session cookie of the operator service. */
export const OPERATOR_COOKIE = 'operator_token';

/** Looks up who a credential belongs to. */
export interface Access {
  findSession: (token: string) => Promise<OperatorSession | undefined>;
  findKey: (secret: string) => Promise<ManagementKey | undefined>;
}

/** The sender of a request. */
export interface Caller extends VerbCaller {
  /** The e-mail address of a person, or the name of a key. */
  operator: string;
  /** Set for a person. */
  sessionId: string | undefined;
  expiresAt: Date;
}

const READING_METHODS = new Set(['GET', 'HEAD']);

/**
 * The caller of a request. Reads only the headers. Throws `authentication_error` for a missing or dead credential, and
 * for a change by cookie that no page of this service sent.
 */
export async function requireCaller(req: Request, { findSession, findKey }: Access): Promise<Caller> {
  const bearer = readBearer(req);
  if (bearer.kind === 'malformed') throw credentialNeeded();
  if (bearer.kind === 'token' && bearer.token.startsWith(MANAGEMENT_KEY_PREFIX)) {
    const key = await findKey(bearer.token);
    if (!key) throw credentialNeeded();
    const { name, role, scopes, expiresAt } = key;
    return { operator: `key ${name}`, role, scopes, via: 'key', sessionId: undefined, expiresAt };
  }
  const cookies = readCookies(OPERATOR_COOKIE, req.headers.cookie ?? '');
  const token = bearer.kind === 'token' ? bearer.token : cookies[0];
  if (token === undefined || cookies.length > 1) throw credentialNeeded();
  if (bearer.kind === 'none' && !READING_METHODS.has(req.method) && !isSameOrigin(req.headers)) {
    throw new ApiError('authentication_error', {
      message: 'A change authorised by cookie must come from a page of this service.',
    });
  }
  const session = await findSession(token);
  if (!session) throw credentialNeeded();
  const { email, role, sessionId, expiresAt } = session;
  return { operator: email, role, scopes: null, via: 'session', sessionId, expiresAt };
}

/** Throws `beta_access_required` for a verb that the caller may not use. */
export function requireRight(caller: Caller, words: string): void {
  if (mayUse(caller, words)) return;
  const who = caller.via === 'key' ? 'This key' : `The role ${caller.role}`;
  throw new ApiError('beta_access_required', { message: `${who} may not use "${words}".` });
}

function credentialNeeded(): ApiError {
  return new ApiError('authentication_error', {
    message: 'Sign in, or send a management key as "Authorization: Bearer mk-…".',
  });
}
