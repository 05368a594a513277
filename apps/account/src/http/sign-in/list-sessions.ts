import { listSessionsQuery, parseQuery, toListPage } from '@farebox/contracts';
import type { Pool } from 'pg';
import { listSessions } from '../../use-cases/sign-in/sessions';
import type { Endpoint } from '../endpoint';
import { toSessionRecord } from './session-wire';

/** `GET /auth/sessions`: the account's live sessions, newest first. */
export function listSessionsEndpoint(pool: Pool): Endpoint {
  return {
    method: 'GET',
    path: '/auth/sessions',
    body: 'none',
    async handle({ accountId, sessionId, query }) {
      const { limit, after } = parseQuery(listSessionsQuery, query);
      const sessions = await listSessions(accountId, pool, { limit, afterId: after });
      const records = sessions.map((session) => toSessionRecord(session, sessionId));
      return { status: 200, body: toListPage(records, limit, (record) => record.session_id) };
    },
  };
}
