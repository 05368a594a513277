import {
  endAccountSession,
  isAccountSession,
  listAccountSessions,
  type AccountSession,
} from '@farebox/accounts';
import { ApiError } from '@farebox/errors';
import type { Pool } from 'pg';

/** A page of the account's sessions, and one more where there is one. Throws for a cursor that is none of them. */
export async function listSessions(
  accountId: string,
  pool: Pool,
  { limit, afterId }: { limit: number; afterId: string | undefined },
): Promise<AccountSession[]> {
  if (afterId !== undefined && !(await isAccountSession(accountId, pool, afterId))) {
    throw new ApiError('invalid_request_error', {
      param: 'after',
      message: "'after' must be the id of a session of yours.",
    });
  }
  return listAccountSessions(accountId, pool, { afterId, count: limit + 1 });
}

/** Ends a session. Throws what a missing one answers, for a session of another account too. */
export async function endSession(accountId: string, pool: Pool, sessionId: string): Promise<AccountSession> {
  const session = await endAccountSession(accountId, pool, sessionId);
  if (!session) throw sessionNotFound();
  return session;
}

export function sessionNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'session_id',
    message: 'There is no such session on this account.',
  });
}
