import {
  type AccountSession,
  LINK_LIFETIME_MS,
  nameBrowser,
  requirePerson,
  type SignedIn,
} from '@farebox/accounts';
import {
  fromPublicId,
  isSameOrigin,
  readSessionCredential,
  requireOwnOrigin,
  SESSION_COOKIE,
  toPublicId,
} from '@farebox/auth';
import type { Brand } from '@farebox/config';
import {
  createSessionBody,
  type EndedSessions,
  type LinkRequest,
  type NewSession,
  parseBody,
  requestLinkBody,
  spendCodeBody,
  type SessionRecord,
  toListPage,
  toUnixSeconds,
} from '@farebox/api';
import { sessionOperations, signInOperations } from '@farebox/api/operations';
import { ApiError } from '@farebox/errors';
import { SECOND_MS } from '@farebox/flow';
import { callerOf, isForm, networkOf, readForm, readJsonBody } from '@farebox/http';
import type { Logger } from '@farebox/observability';
import { isLanguage, pickLanguage, type Language } from '@farebox/texts';
import { textsIn } from '@farebox/texts/every-language';
import type { NextFunction, Request, Response } from 'express';
import type { UseCases } from '../use-cases/bind-use-cases';
import { sessionNotFound } from '../use-cases/sign-in';
import { browserTokenOf, toBrowserCookie } from './browser-cookie';
import { type WholeAnswer, type Endpoint, on, onOpen, type OpenEndpoint } from './endpoint';
import { SignInPages } from './sign-in-pages';
import type { FindSession } from './serve-endpoint';

/**
 * Warns once about an untrusted proxy in front: all its clients would be counted as one, and any of them
 * could use up the sign-in attempts of the others.
 */
export function warnOfUntrustedProxy(log: Logger) {
  let hasWarned = false;
  return (req: Request, _res: Response, next: NextFunction): void => {
    // Express puts the addresses of the header here if a trusted proxy sent it.
    if (!hasWarned && req.headers['x-forwarded-for'] !== undefined && req.ips.length === 0) {
      hasWarned = true;
      log.warn(
        { event: 'proxy_not_trusted' },
        'X-Forwarded-For came from an address that FAREBOX_TRUSTED_PROXIES does not name',
      );
    }
    next();
  };
}

/** The language of a browser, by `Accept-Language`. */
const languageOf = (req: Request): Language => pickLanguage(req.acceptsLanguages());

const operations = { ...signInOperations, ...sessionOperations };

/** Limits of bodies before sign-in. */
const BODY_LIMITS = { maxBytes: 4 * 1024, maxDepth: 4, maxValues: 64 };
/** The same for every address, whatever happens afterwards. */
const LINK_IS_ASKED_FOR: LinkRequest = {
  object: 'link_request',
  expires_in: LINK_LIFETIME_MS.sign_in / SECOND_MS,
};

/** Where a browser goes after signing in: the console. */
const CONSOLE = '/';

interface SignInParts {
  links: UseCases['signIn'];
  findSession: FindSession;
  cookieRules: CookieRules;
  consoleOrigins: readonly string[];
  brand: Brand;
}

/** The endpoints for signing in. */
export function signInEndpoints({
  links,
  findSession,
  cookieRules,
  consoleOrigins,
  brand,
}: SignInParts): OpenEndpoint[] {
  const pagesIn = (language: Language) => new SignInPages(brand, textsIn(language));
  const isSignedIn = async (req: Request): Promise<boolean> => {
    const credential = readSessionCredential(req);
    return credential.kind === 'session' && (await findSession(credential.token)) !== undefined;
  };
  const visitorOf = (req: Request) => ({
    network: networkOf(req.ip),
    caller: callerOf(req),
    browserToken: browserTokenOf(req.headers.cookie),
  });
  const cookiesOf = ({ sessionToken, expiresAt }: SignedIn, browserToken: string): string[] => [
    toSessionCookie(sessionToken, expiresAt, cookieRules),
    toBrowserCookie(browserToken, cookieRules),
  ];
  const signIn = async (req: Request, body: unknown): Promise<{ signedIn: SignedIn; cookies: string[] }> => {
    const { token } = parseBody(createSessionBody, body);
    const visitor = visitorOf(req);
    const signedIn = await links.spendLink({ ...visitor, token });
    return { signedIn, cookies: cookiesOf(signedIn, visitor.browserToken) };
  };

  return [
    onOpen(operations.requestLink, async (req, room) => {
      const { email } = parseBody(requestLinkBody, await readJsonBody(req, BODY_LIMITS, room));
      const { network, browserToken } = visitorOf(req);
      await links.requestLink({ email, language: languageOf(req), network, browserToken });
      // The code of the mail is for this browser alone.
      const headers = { 'set-cookie': toBrowserCookie(browserToken, cookieRules) };
      return { status: 202, body: LINK_IS_ASKED_FOR, headers };
    }),

    onOpen(operations.spendCode, async (req, room) => {
      requireOwnOrigin(req.headers, { isForm: false, consoleOrigins });
      const { email, code } = parseBody(spendCodeBody, await readJsonBody(req, BODY_LIMITS, room));
      const visitor = visitorOf(req);
      const signedIn = await links.spendCode({ ...visitor, email, code });
      return toNewSession(signedIn, cookiesOf(signedIn, visitor.browserToken));
    }),

    // Looking at a link does not spend it.
    onOpen(operations.showLink, async (req) => {
      const { token } = req.params;
      const link = typeof token === 'string' ? await links.findSignInLink(token) : undefined;
      const pages = pagesIn(languageOf(req));
      if (!link || typeof token !== 'string')
        return (await isSignedIn(req)) ? pages.signedInAlready() : pages.deadLink();
      return (isLanguage(link.language) ? pagesIn(link.language) : pages).link(link, token);
    }),

    // The session goes into the cookie and, for programs, into the JSON. The form on the link's page
    // redirects to the console, by a GET that can be repeated at will.
    onOpen(operations.createSession, async (req, room) => {
      if (!isForm(req)) {
        requireOwnOrigin(req.headers, { isForm: false, consoleOrigins });
        const { signedIn, cookies } = await signIn(req, await readJsonBody(req, BODY_LIMITS, room));
        return toNewSession(signedIn, cookies);
      }
      try {
        requireOwnOrigin(req.headers, { isForm: true });
        const { cookies } = await signIn(req, await readForm(req, BODY_LIMITS.maxBytes, room));
        return { status: 303, headers: { location: CONSOLE, 'set-cookie': cookies } };
      } catch (error) {
        if (!(error instanceof ApiError) || !req.complete) throw error;
        // Most likely the button was pressed twice, or the person went back to it.
        const isUsedLink = error.code === 'authentication_error' && isSameOrigin(req.headers);
        const pages = pagesIn(languageOf(req));
        return isUsedLink && (await isSignedIn(req)) ? pages.signedInAlready() : pages.error(error);
      }
    }),
  ];
}

function toNewSession({ sessionToken, expiresAt }: SignedIn, cookies: string[]): WholeAnswer {
  const record: NewSession = {
    object: 'new_session',
    session_token: sessionToken,
    expires_at: toUnixSeconds(expiresAt),
  };
  return { status: 201, body: record, headers: { 'set-cookie': cookies } };
}

/** `/auth/sessions` and `/auth/session`: how the owner of a session manages it and their others. */
export function sessionEndpoints(sessions: UseCases['sessions'], cookieRules: CookieRules): Endpoint[] {
  const cookieBack = { 'set-cookie': toEndedCookie(cookieRules) };
  return [
    on(operations.listSessions, async ({ accountId, sessionId, filter: { limit, after } }) => {
      const found = await sessions.listSessions(accountId, { limit, afterId: after });
      const records = found.map((session) => toSessionRecord(session, sessionId));
      return { body: toListPage(records, limit, (record) => record.session_id) };
    }),

    // A device's session cannot end others.
    on(operations.endSession, async ({ accountId, sessionId, deviceId, actor, params }) => {
      const toEnd = readSessionId(params);
      if (toEnd !== sessionId) requirePerson(deviceId);
      return { body: toSessionRecord(await sessions.endSession(accountId, toEnd, actor), sessionId) };
    }),

    on(operations.endAllSessions, async ({ accountId, deviceId, actor }) => {
      requirePerson(deviceId);
      const { sessions: count } = await sessions.endAllAccountSessions(accountId, actor);
      const body: EndedSessions = { object: 'ended_sessions', count };
      return { body, headers: cookieBack };
    }),

    on(operations.signOut, async ({ accountId, sessionId, actor }) => {
      const session = await sessions.endSession(accountId, sessionId, actor);
      return { body: toSessionRecord(session, sessionId), headers: cookieBack };
    }),
  ];
}

/** A session as its owner sees it, in a request of the session `currentId`. */
function toSessionRecord(session: AccountSession, currentId: string): SessionRecord {
  return {
    object: 'session',
    session_id: toPublicId('sess', session.sessionId),
    current: session.sessionId === currentId,
    user_agent: session.userAgent,
    browser: nameBrowser(session.userAgent),
    network: session.network,
    device_id: session.deviceId && toPublicId('dev', session.deviceId),
    created_at: toUnixSeconds(session.createdAt),
    last_seen_at: toUnixSeconds(session.lastSeenAt),
    idle_expires_at: toUnixSeconds(session.idleExpiresAt),
    expires_at: toUnixSeconds(session.expiresAt),
    revoked_at: session.revokedAt && toUnixSeconds(session.revokedAt),
  };
}

/** The session id in a path. Throws the error of a missing session if it is malformed. */
function readSessionId({ session_id: text }: Readonly<Record<string, unknown>>): string {
  const sessionId = typeof text === 'string' ? fromPublicId('sess', text) : undefined;
  if (sessionId === undefined) throw sessionNotFound();
  return sessionId;
}

/**
 * Attributes of the cookie. `isSecure` is off only for plain http on the machine itself, where some clients
 * would drop a secure cookie.
 */
interface CookieRules {
  isSecure: boolean;
}

/** The `Set-Cookie` value that hands a session to a browser. */
export function toSessionCookie(token: string, expiresAt: Date, rules: CookieRules): string {
  return writeCookie(token, `Expires=${expiresAt.toUTCString()}`, rules);
}

/** The `Set-Cookie` value that removes it. */
export function toEndedCookie(rules: CookieRules): string {
  return writeCookie('', 'Max-Age=0', rules);
}

function writeCookie(value: string, end: string, { isSecure }: CookieRules): string {
  const secure = isSecure ? '; Secure' : '';
  return `${SESSION_COOKIE}=${value}; Path=/; ${end}; HttpOnly${secure}; SameSite=Lax`;
}
