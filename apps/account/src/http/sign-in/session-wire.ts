import { toUnixSeconds, type SessionRecord } from '@farebox/contracts';
import type { AccountSession } from '@farebox/accounts';
import { fromPublicId, toPublicId } from '@farebox/ids';
import { sessionNotFound } from '../../use-cases/sign-in/sessions';

/** A session as its owner sees it, in a request of the session `currentId`. */
export function toSessionRecord(session: AccountSession, currentId: string): SessionRecord {
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

/** The session that a path names. Throws what a missing one answers where it names none. */
export function readSessionId(params: Readonly<Record<string, unknown>>): string {
  const text = params.session_id;
  const sessionId = typeof text === 'string' ? fromPublicId('sess', text) : undefined;
  if (sessionId === undefined) throw sessionNotFound();
  return sessionId;
}
