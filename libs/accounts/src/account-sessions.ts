import type { Pool } from 'pg';

type Queryable = Pick<Pool, 'query'>;

/** A session as its owner sees it. */
export interface AccountSession {
  sessionId: string;
  /** The device that it is bound to. */
  deviceId: string | null;
  /** What the browser or program that signed in said of itself. */
  userAgent: string | null;
  createdAt: Date;
  lastSeenAt: Date;
  /** When it ends where it is not used until then; never after `expiresAt`. */
  idleExpiresAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

const COLUMNS = `
  id AS "sessionId", device_id AS "deviceId", user_agent AS "userAgent", created_at AS "createdAt",
  last_seen_at AS "lastSeenAt", idle_expires_at AS "idleExpiresAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt"`;

/** The account's live sessions, newest first: at most `count`, those after the session `afterId`. */
export async function listAccountSessions(
  accountId: string,
  db: Queryable,
  page: { afterId: string | undefined; count: number },
): Promise<AccountSession[]> {
  const { rows } = await db.query<AccountSession>(
    `SELECT ${COLUMNS} FROM account_session
     WHERE account_id = $1 AND revoked_at IS NULL AND expires_at > now() AND idle_expires_at > now()
       AND ($2::uuid IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [accountId, page.afterId, page.count],
  );
  return rows;
}

/** Whether a session is the account's, ended ones included. */
export async function isAccountSession(
  accountId: string,
  db: Queryable,
  sessionId: string,
): Promise<boolean> {
  const { rowCount } = await db.query('SELECT 1 FROM account_session WHERE account_id = $1 AND id = $2', [
    accountId,
    sessionId,
  ]);
  return rowCount === 1;
}

/**
 * Ends a session: once this has answered, no request with it is served. One that has ended already stays as it is.
 * Answers with the session, or with `undefined` where the account has none of this id.
 */
export async function endAccountSession(
  accountId: string,
  db: Queryable,
  sessionId: string,
): Promise<AccountSession | undefined> {
  const { rows } = await db.query<AccountSession>(
    `UPDATE account_session SET revoked_at = coalesce(revoked_at, now())
     WHERE account_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
    [accountId, sessionId],
  );
  return rows[0];
}

/**
 * Ends a session of any account: for the operator. Answers with its account and whether this call ended it; `undefined`
 * where there is none of this id.
 */
export async function endSessionById(
  db: Queryable,
  sessionId: string,
): Promise<{ accountId: string; ended: boolean } | undefined> {
  const { rowCount } = await db.query(
    `UPDATE account_session SET revoked_at = now()
     WHERE id = $1 AND revoked_at IS NULL AND expires_at > now() AND idle_expires_at > now()`,
    [sessionId],
  );
  const { rows } = await db.query<{ account_id: string }>(
    'SELECT account_id FROM account_session WHERE id = $1',
    [sessionId],
  );
  const [session] = rows;
  return session && { accountId: session.account_id, ended: rowCount === 1 };
}

/** Ends all sessions of an account, those of its devices too. Answers with how many there were. */
export async function endAllAccountSessions(accountId: string, db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `UPDATE account_session SET revoked_at = now()
     WHERE account_id = $1 AND revoked_at IS NULL AND expires_at > now() AND idle_expires_at > now()`,
    [accountId],
  );
  return rowCount ?? 0;
}
