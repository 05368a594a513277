import { findSignInLink, LINK_LIFETIME_MS, type Accounts, type SignedIn } from '@farebox/accounts';
import {
  createSessionBody,
  parseBody,
  requestLinkBody,
  toUnixSeconds,
  type LinkRequest,
  type NewSession,
} from '@farebox/contracts';
import { ApiError } from '@farebox/errors';
import { readJsonBody } from '@farebox/http';
import { signInOperations as operations } from '@farebox/openapi';
import type { Request } from 'express';
import { requestLink, spendLink } from '../use-cases/sign-in';
import { networkOf } from './client-network';
import { onOpen, type Answer, type OpenEndpoint } from './endpoint';
import { isForm, readForm } from './read-form';
import { requireOwnOrigin } from './same-origin';
import { toSessionCookie, type CookieRules } from './session-cookie';
import { deadLinkPage, errorPage, linkPage, signedInPage } from './sign-in-pages';

const MS_PER_SECOND = 1_000;
/** Of what arrives before somebody has signed in. */
const BODY_LIMITS = { maxBytes: 4 * 1024, maxDepth: 4, maxValues: 64 };
/** The same for every address, whatever is done about it afterwards. */
const LINK_IS_ASKED_FOR: LinkRequest = {
  object: 'link_request',
  expires_in: LINK_LIFETIME_MS.sign_in / MS_PER_SECOND,
};

/** What it takes to sign in. */
export function signInEndpoints(accounts: Accounts, cookieRules: CookieRules): OpenEndpoint[] {
  const signIn = (req: Request, body: unknown): Promise<SignedIn> => {
    const { token } = parseBody(createSessionBody, body);
    const userAgent = req.headers['user-agent'] ?? null;
    return spendLink({ token, network: networkOf(req.ip), userAgent }, accounts);
  };
  const cookieOf = ({ sessionToken, expiresAt }: SignedIn): string =>
    toSessionCookie(sessionToken, expiresAt, cookieRules);

  return [
    onOpen(operations.requestLink, async (req) => {
      const { email } = parseBody(requestLinkBody, await readJsonBody(req, BODY_LIMITS));
      await requestLink({ email, network: networkOf(req.ip) }, accounts);
      return { status: 202, body: LINK_IS_ASKED_FOR };
    }),

    // The link stays as it is, however often it is looked at.
    onOpen(operations.showLink, async ({ params: { token } }) => {
      if (typeof token !== 'string') return deadLinkPage();
      const link = await findSignInLink(accounts, token);
      return link ? linkPage(link, token) : deadLinkPage();
    }),

    // The session goes into the cookie and, for programs, into the JSON. The form of the link's page gets a page.
    onOpen(operations.createSession, async (req) => {
      if (!isForm(req)) {
        requireOwnOrigin(req.headers, { isForm: false });
        const signedIn = await signIn(req, await readJsonBody(req, BODY_LIMITS));
        return toNewSession(signedIn, cookieOf(signedIn));
      }
      try {
        requireOwnOrigin(req.headers, { isForm: true });
        const signedIn = await signIn(req, await readForm(req, BODY_LIMITS.maxBytes));
        return signedInPage(signedIn.email, signedIn.inviteStatus === 'active', cookieOf(signedIn));
      } catch (error) {
        if (error instanceof ApiError && req.complete) return errorPage(error);
        throw error;
      }
    }),
  ];
}

function toNewSession({ sessionToken, expiresAt }: SignedIn, cookie: string): Answer {
  const record: NewSession = {
    object: 'new_session',
    session_token: sessionToken,
    expires_at: toUnixSeconds(expiresAt),
  };
  return { status: 201, body: record, headers: { 'set-cookie': cookie } };
}
