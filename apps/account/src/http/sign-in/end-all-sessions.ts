import { endAllAccountSessions } from '@farebox/accounts';
import type { EndedSessions } from '@farebox/contracts';
import type { Pool } from 'pg';
import { requirePerson } from '../../use-cases/devices/device-authority';
import type { Endpoint } from '../endpoint';
import { toEndedCookie, type CookieRules } from './session-cookie';

/** `DELETE /auth/sessions`: signs out everywhere, here and on devices too. Not for a device's session. */
export function endAllSessionsEndpoint(pool: Pool, cookieRules: CookieRules): Endpoint {
  return {
    method: 'DELETE',
    path: '/auth/sessions',
    body: 'none',
    async handle({ accountId, deviceId }) {
      requirePerson(deviceId);
      const record: EndedSessions = {
        object: 'ended_sessions',
        count: await endAllAccountSessions(accountId, pool),
      };
      return { status: 200, body: record, headers: { 'set-cookie': toEndedCookie(cookieRules) } };
    },
  };
}
