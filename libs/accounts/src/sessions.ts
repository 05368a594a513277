import type { InviteStatus } from '@farebox/database';
import { uuidV7 } from '@farebox/ids';
import type { Pool } from 'pg';
import { createSessionToken, hashSessionToken, isWellFormedSessionToken } from '@farebox/auth';

export interface SessionLifetimes {
  /** A session that is not used for this long ends. */
  idleMs: number;
  /** A session ends this long after its start in any case. */
  absoluteMs: number;
}

const DAY_MS = 86_400_000;
export const DEFAULT_SESSION_LIFETIMES: SessionLifetimes = { idleMs: 7 * DAY_MS, absoluteMs: 30 * DAY_MS };

const LONGEST_USER_AGENT = 200;

export interface SessionIdentity {
  sessionId: string;
  accountId: string;
  /** The device that the session is bound to. */
  deviceId: string | null;
  inviteStatus: InviteStatus;
  expiresAt: Date;
  /** The database's clock at the time of the look-up: the time of whatever is decided in this request. */
  now: Date;
}

const CREATE_SESSION = `
  INSERT INTO account_session (id, account_id, token_sha256, idle_expires_at, expires_at, user_agent)
  VALUES ($1, $2, $3, now() + least($4::bigint, $5::bigint) * interval '1 millisecond',
          now() + $5::bigint * interval '1 millisecond', $6)
  RETURNING expires_at AS "expiresAt"`;

/** Starts a session of an account. The token is returned here and nowhere else. A user agent is kept in part. */
export async function createSession(
  accountId: string,
  pool: Pick<Pool, 'query'>,
  lifetimes = DEFAULT_SESSION_LIFETIMES,
  userAgent: string | null = null,
): Promise<{ token: string; expiresAt: Date }> {
  const token = createSessionToken();
  const { rows } = await pool.query<{ expiresAt: Date }>(CREATE_SESSION, [
    uuidV7(),
    accountId,
    hashSessionToken(token),
    lifetimes.idleMs,
    lifetimes.absoluteMs,
    userAgent === null ? null : toUserAgentLine(userAgent),
  ]);
  const [row] = rows;
  if (!row) throw new Error('the session was not stored');
  return { token, expiresAt: row.expiresAt };
}

/** What is kept of a user agent: a line of printable ASCII; `null` where nothing is left. */
function toUserAgentLine(text: string): string | null {
  return (
    text
      .replace(/[^ -~]/g, '')
      .slice(0, LONGEST_USER_AGENT)
      .trim() || null
  );
}

// The idle time starts again with each use, and is written at most once a minute.
const FIND_SESSION = `
  WITH live AS (
    SELECT s.id, s.account_id, s.device_id, s.expires_at, s.last_seen_at
    FROM account_session s
    WHERE s.token_sha256 = $1 AND s.revoked_at IS NULL AND s.expires_at > now() AND s.idle_expires_at > now()
  ), touched AS (
    UPDATE account_session s
    SET last_seen_at = now(),
        idle_expires_at = least(s.expires_at, now() + $2::bigint * interval '1 millisecond')
    FROM live
    WHERE s.id = live.id AND s.last_seen_at <= now() - interval '1 minute'
  )
  SELECT live.id AS "sessionId", live.account_id AS "accountId", live.device_id AS "deviceId",
         a.invite_status AS "inviteStatus", live.expires_at AS "expiresAt", now() AS now
  FROM live JOIN account a ON a.id = live.account_id`;

/** The live session of a token, by the database's clock. A text that is not well formed costs no look-up. */
export async function findSession(
  pool: Pool,
  token: string,
  lifetimes = DEFAULT_SESSION_LIFETIMES,
): Promise<SessionIdentity | undefined> {
  if (!isWellFormedSessionToken(token)) return undefined;
  const { rows } = await pool.query<SessionIdentity>({
    name: 'auth_find_session',
    text: FIND_SESSION,
    values: [hashSessionToken(token), lifetimes.idleMs],
  });
  return rows[0];
}
