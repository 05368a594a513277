import type { Pool } from 'pg';
import { requirePerson } from '../../use-cases/devices/device-authority';
import { endSession } from '../../use-cases/sign-in/sessions';
import type { Endpoint } from '../endpoint';
import { toEndedCookie, type CookieRules } from './session-cookie';
import { readSessionId, toSessionRecord } from './session-wire';

/** `DELETE /auth/session`: signs out. The record of the session that has ended, and the cookie taken back. */
export function signOutEndpoint(pool: Pool, cookieRules: CookieRules): Endpoint {
  return {
    method: 'DELETE',
    path: '/auth/session',
    body: 'none',
    async handle({ accountId, sessionId }) {
      const session = await endSession(accountId, pool, sessionId);
      return {
        status: 200,
        body: toSessionRecord(session, sessionId),
        headers: { 'set-cookie': toEndedCookie(cookieRules) },
      };
    },
  };
}

/**
 * `DELETE /auth/sessions/{session_id}`: ends one of the account's sessions. The same answer again and again. A device's
 * session ends no other.
 */
export function endSessionEndpoint(pool: Pool): Endpoint {
  return {
    method: 'DELETE',
    path: '/auth/sessions/:session_id',
    body: 'none',
    async handle({ accountId, sessionId, deviceId, params }) {
      const toEnd = readSessionId(params);
      if (toEnd !== sessionId) requirePerson(deviceId);
      const session = await endSession(accountId, pool, toEnd);
      return { status: 200, body: toSessionRecord(session, sessionId) };
    },
  };
}
