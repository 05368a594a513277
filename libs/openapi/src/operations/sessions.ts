import { endedSessions, listSessionsQuery, sessionList, sessionRecord } from '@farebox/contracts';
import { json, type Operation } from '../operation';
import { DAY, NOON, onlyPage, SESSION_ID } from './examples';

const ofSession = { services: ['account'], tag: 'Sign-in', credential: 'session' } as const;

const session = {
  object: 'session',
  session_id: SESSION_ID,
  current: true,
  user_agent: 'Mozilla/5.0',
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
      when: 'There is no such session on the account. A session of another account answers the same.',
    },
  ],
} satisfies Operation;

const endAllSessions = {
  ...ofSession,
  id: 'endAllSessions',
  method: 'DELETE',
  path: '/auth/sessions',
  summary: 'Sign out everywhere',
  description: 'Ends every session of the account, this one and those of devices included.',
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
