import { createSessionBody, linkRequest, newSession, requestLinkBody } from '@farebox/contracts';
import { json, type Operation } from '../operation';
import { DAY, NOON, SESSION_TOKEN } from './examples';

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
      description: 'If it is the address of an account, the link is on its way.',
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
  description: 'A page with a button, which spends the link. Looking at the page does not.',
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
    "Spends the link and starts a session, in the cookie and, for programs, in the JSON. The form of the link's page sends `application/x-www-form-urlencoded`, and is answered with a page, its errors too.",
  body: {
    schema: createSessionBody,
    otherMediaTypes: ['application/x-www-form-urlencoded'],
    isRequired: true,
    examples: { spend: { token: 'si-example' } },
  },
  answers: [
    { status: 200, description: 'A page, where a form was sent.', headers: ['Set-Cookie'], contents: [page] },
    {
      status: 201,
      description: 'The session, where JSON was sent.',
      headers: ['Set-Cookie'],
      contents: [
        json(newSession, {
          session: { object: 'new_session', session_token: SESSION_TOKEN, expires_at: NOON + 30 * DAY },
        }),
      ],
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

export const signInOperations = { requestLink, showLink, createSession };
