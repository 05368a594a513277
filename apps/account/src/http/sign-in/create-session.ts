import type { SignedIn } from '@farebox/accounts';
import { createSessionBody, parseBody, toUnixSeconds, type NewSession } from '@farebox/contracts';
import { ApiError } from '@farebox/errors';
import { readJsonBody } from '@farebox/http';
import type { Request } from 'express';
import type { Pool } from 'pg';
import { spendLink } from '../../use-cases/sign-in/spend-link';
import { networkOf } from '../client-network';
import type { Answer } from '../endpoint';
import type { OpenEndpoint } from '../open-endpoint';
import { isForm, readForm } from '../read-form';
import { BODY_LIMITS } from './body-limits';
import { requireOwnOrigin } from './own-origin';
import { errorPage, signedInPage } from './pages';
import { toSessionCookie, type CookieRules } from './session-cookie';

/**
 * `POST /auth/sessions`: spends a link and starts a session, which goes into the cookie and, for programs, into the
 * JSON. The form of the link's page is answered with a page.
 */
export function createSessionEndpoint(pool: Pool, cookieRules: CookieRules): OpenEndpoint {
  return {
    method: 'POST',
    path: '/auth/sessions',
    async handle(req) {
      if (!isForm(req)) {
        requireOwnOrigin(req.headers, { isForm: false });
        return toJsonAnswer(await signIn(req, await readJsonBody(req, BODY_LIMITS), pool), cookieRules);
      }
      try {
        requireOwnOrigin(req.headers, { isForm: true });
        return toFormAnswer(await signIn(req, await readForm(req, BODY_LIMITS.maxBytes), pool), cookieRules);
      } catch (error) {
        if (error instanceof ApiError && req.complete) return errorPage(error);
        throw error;
      }
    },
  };
}

function signIn(req: Request, body: unknown, pool: Pool): Promise<SignedIn> {
  const { token } = parseBody(createSessionBody, body);
  const userAgent = req.headers['user-agent'] ?? null;
  return spendLink({ token, network: networkOf(req.ip), userAgent }, pool);
}

function toJsonAnswer(signedIn: SignedIn, cookieRules: CookieRules): Answer {
  const record: NewSession = {
    object: 'new_session',
    session_token: signedIn.sessionToken,
    expires_at: toUnixSeconds(signedIn.expiresAt),
  };
  return { status: 201, body: record, headers: { 'set-cookie': cookieOf(signedIn, cookieRules) } };
}

function toFormAnswer(signedIn: SignedIn, cookieRules: CookieRules): Answer {
  const hasAccess = signedIn.inviteStatus === 'active';
  return signedInPage(signedIn.email, hasAccess, cookieOf(signedIn, cookieRules));
}

function cookieOf({ sessionToken, expiresAt }: SignedIn, cookieRules: CookieRules): string {
  return toSessionCookie(sessionToken, expiresAt, cookieRules);
}
