import { DAY, LINK_TOKEN, NOON, onlyPage, SESSION_ID, SESSION_TOKEN } from '../examples';
import { json, type Operation } from '../operation';
import {
  createSessionBody,
  endedSessions,
  linkRequest,
  listSessionsQuery,
  newSession,
  requestLinkBody,
  sessionList,
  sessionRecord,
  spendCodeBody,
} from './schema';

const open = { services: ['account'], tag: 'Sign-in', credential: 'none' } as const;
const OF_THE_SERVICE = ['internal_error', 'service_unavailable'] as const;
const page = { mediaType: 'text/html', examples: { beginning: '<!doctype html>' } };

const requestLink = {
  ...open,
  id: 'requestLink',
  method: 'POST',
  path: '/auth/links',
  summary: 'Ask for a link to sign in',
  description:
    'The answer is the same whether or not the address is known, and whether or not a mail is sent.',
  body: { schema: requestLinkBody, isRequired: true, examples: { ada: { email: 'ada@example.com' } } },
  answers: [
    {
      status: 202,
      description:
        'If it is the address of an account, the link is on its way, with a code for this browser.',
      headers: ['Set-Cookie'],
      contents: [json(linkRequest, { asked: { object: 'link_request', expires_in: 900 } })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'email' }, ...OF_THE_SERVICE],
} satisfies Operation;

const showLink = {
  ...open,
  id: 'showLink',
  method: 'GET',
  path: '/auth/links/{token}',
  summary: 'Open a link',
  description:
    'A page with a button, which spends the link. Looking at the page does not. If the link cannot be used and the browser is signed in, the page says so.',
  answers: [
    { status: 200, description: 'The page.', contents: [page] },
    { status: 404, description: 'A page which says that the link cannot be used.', contents: [page] },
  ],
  errors: [...OF_THE_SERVICE],
} satisfies Operation;

const createSession = {
  ...open,
  id: 'createSession',
  method: 'POST',
  path: '/auth/sessions',
  summary: 'Sign in with a link',
  description:
    "Spends the link and starts a session, in the cookie and, for programs, in the JSON. The form of the link's page sends `application/x-www-form-urlencoded`, and leads to the console; its errors are pages.",
  body: {
    schema: createSessionBody,
    otherMediaTypes: ['application/x-www-form-urlencoded'],
    isRequired: true,
    examples: { spend: { token: LINK_TOKEN } },
  },
  answers: [
    {
      status: 200,
      description: 'A page, if a form brought a link that was used and the browser is signed in.',
      contents: [page],
    },
    {
      status: 201,
      description: 'The session, if JSON was sent.',
      headers: ['Set-Cookie'],
      contents: [
        json(newSession, {
          session: { object: 'new_session', session_token: SESSION_TOKEN, expires_at: NOON + 30 * DAY },
        }),
      ],
    },
    {
      status: 303,
      description: 'The console, if a form was sent.',
      headers: ['Location', 'Set-Cookie'],
      contents: [],
    },
  ],
  hasErrorPages: true,
  errors: [
    { code: 'invalid_request_error', param: 'token' },
    {
      code: 'authentication_error',
      when: 'The link is not known, was used or has had its time, or a page of another origin asks.',
    },
    { code: 'rate_limit_error', when: 'Too many attempts to sign in came from this network.' },
    ...OF_THE_SERVICE,
  ],
} satisfies Operation;

const spendCode = {
  ...open,
  id: 'spendCode',
  method: 'POST',
  path: '/auth/codes',
  summary: 'Sign in with a code',
  description:
    'Spends a link by the code beside it, in the browser that asked for the link: its cookie `farebox_browser` comes with `POST /auth/links`. Five attempts at most. A program that keeps no cookies uses the link.',
  body: {
    schema: spendCodeBody,
    isRequired: true,
    examples: { ada: { email: 'ada@example.com', code: 'K7QM-2XRT' } },
  },
  answers: [
    {
      status: 201,
      description: 'The session.',
      headers: ['Set-Cookie'],
      contents: [
        json(newSession, {
          session: { object: 'new_session', session_token: SESSION_TOKEN, expires_at: NOON + 30 * DAY },
        }),
      ],
    },
  ],
  errors: [
    { code: 'invalid_request_error', param: 'code' },
    {
      code: 'authentication_error',
      when: 'The code is wrong, was used or tried too often, has had its time, or was asked for by another browser. Or a page of another origin asks.',
    },
    { code: 'rate_limit_error', when: 'Too many attempts to sign in came from this network.' },
    ...OF_THE_SERVICE,
  ],
} satisfies Operation;

export const signInOperations = { requestLink, showLink, createSession, spendCode };

const ofSession = { services: ['account'], tag: 'Sign-in', credential: 'session' } as const;

const session = {
  object: 'session',
  session_id: SESSION_ID,
  current: true,
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  browser: 'Firefox on Linux',
  network: '198.51.100.0/24',
  device_id: null,
  created_at: NOON,
  last_seen_at: NOON + 60,
  idle_expires_at: NOON + 7 * DAY,
  expires_at: NOON + 30 * DAY,
  revoked_at: null,
};
const ended = { ...session, revoked_at: NOON + 120 };

const listSessions = {
  ...ofSession,
  id: 'listSessions',
  method: 'GET',
  path: '/auth/sessions',
  summary: 'List the sessions that live',
  query: listSessionsQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the sessions.',
      contents: [json(sessionList, { one: onlyPage([session], (row) => row.session_id) })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'after' }],
} satisfies Operation;

const endSession = {
  ...ofSession,
  id: 'endSession',
  method: 'DELETE',
  path: '/auth/sessions/{session_id}',
  summary: 'End a session',
  description: 'A second time the answer is the same.',
  answers: [
    {
      status: 200,
      description: 'The session that has ended.',
      contents: [json(sessionRecord, { another: { ...ended, current: false } })],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      status: 404,
      param: 'session_id',
      when: 'There is no such session on the account. The response for a session of another account is the same.',
    },
  ],
} satisfies Operation;

const endAllSessions = {
  ...ofSession,
  id: 'endAllSessions',
  method: 'DELETE',
  path: '/auth/sessions',
  summary: 'Sign out everywhere',
  description:
    'Ends every session of the account, this one and those of devices included, its links that were not used, and the mails with links that wait to be sent.',
  answers: [
    {
      status: 200,
      description: 'How many have ended.',
      headers: ['Set-Cookie'],
      contents: [json(endedSessions, { three: { object: 'ended_sessions', count: 3 } })],
    },
  ],
  errors: [],
} satisfies Operation;

const signOut = {
  ...ofSession,
  id: 'signOut',
  method: 'DELETE',
  path: '/auth/session',
  summary: 'Sign out',
  description: 'Also of an account that has no access.',
  needsAccess: false,
  answers: [
    {
      status: 200,
      description: 'The session that has ended.',
      headers: ['Set-Cookie'],
      contents: [json(sessionRecord, { own: ended })],
    },
  ],
  errors: [],
} satisfies Operation;

export const sessionOperations = { listSessions, endSession, endAllSessions, signOut };
