import { endAllAccountSessions, requirePerson, type Accounts, type AccountSession } from '@farebox/accounts';
import { toListPage, toUnixSeconds, type EndedSessions, type SessionRecord } from '@farebox/contracts';
import { fromPublicId, toPublicId } from '@farebox/ids';
import { sessionOperations as operations } from '@farebox/openapi';
import { endSession, listSessions, sessionNotFound } from '../use-cases/sign-in';
import { on, type Endpoint } from './endpoint';
import { toEndedCookie, type CookieRules } from './session-cookie';

/** `/auth/sessions` and `/auth/session`: what the owner of a session does with it and with their others. */
export function sessionEndpoints(accounts: Accounts, cookieRules: CookieRules): Endpoint[] {
  const cookieBack = { 'set-cookie': toEndedCookie(cookieRules) };
  return [
    on(operations.listSessions, async ({ accountId, sessionId, filter: { limit, after } }) => {
      const sessions = await listSessions(accountId, accounts, { limit, afterId: after });
      const records = sessions.map((session) => toSessionRecord(session, sessionId));
      return { body: toListPage(records, limit, (record) => record.session_id) };
    }),

    // A device's session ends no other.
    on(operations.endSession, async ({ accountId, sessionId, deviceId, params }) => {
      const toEnd = readSessionId(params);
      if (toEnd !== sessionId) requirePerson(deviceId);
      return { body: toSessionRecord(await endSession(accountId, accounts, toEnd), sessionId) };
    }),

    on(operations.endAllSessions, async ({ accountId, deviceId }) => {
      requirePerson(deviceId);
      const count = await endAllAccountSessions(accountId, accounts);
      const body: EndedSessions = { object: 'ended_sessions', count };
      return { body, headers: cookieBack };
    }),

    on(operations.signOut, async ({ accountId, sessionId }) => {
      const session = await endSession(accountId, accounts, sessionId);
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
    device_id: session.deviceId && toPublicId('dev', session.deviceId),
    created_at: toUnixSeconds(session.createdAt),
    last_seen_at: toUnixSeconds(session.lastSeenAt),
    idle_expires_at: toUnixSeconds(session.idleExpiresAt),
    expires_at: toUnixSeconds(session.expiresAt),
    revoked_at: session.revokedAt && toUnixSeconds(session.revokedAt),
  };
}

/** The session that a path names. Throws what a missing one answers if it names none. */
function readSessionId({ session_id: text }: Readonly<Record<string, unknown>>): string {
  const sessionId = typeof text === 'string' ? fromPublicId('sess', text) : undefined;
  if (sessionId === undefined) throw sessionNotFound();
  return sessionId;
}
