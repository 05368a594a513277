import { createOperatorToken, hashToken, isWellFormedOperatorToken, uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import type { OperatorRole } from './roles';

/** How long a link is valid. */
export const OPERATOR_LINK_LIFETIME_MS = 15 * 60_000;
/** A session ends when it was not used for this long, and at the latest after the other. */
export const OPERATOR_IDLE_MS = 8 * 3_600_000;
export const OPERATOR_SESSION_MS = 7 * 86_400_000;
/** A session is noted as used at most this often. */
const TOUCH_EVERY_MS = 60_000;

/** Creates a link that signs in an operator once. The token is returned only here. */
export async function createOperatorLink(
  db: Queryable,
  operatorId: string,
): Promise<{ token: string; expiresAt: Date }> {
  const token = createOperatorToken('link');
  const { rows } = await db.query<{ expiresAt: Date }>(
    `INSERT INTO operator_link (token_sha256, operator_id, expires_at)
     VALUES ($1, $2, now() + $3::bigint * interval '1 millisecond') RETURNING expires_at AS "expiresAt"`,
    [hashToken(token), operatorId, OPERATOR_LINK_LIFETIME_MS],
  );
  const [row] = rows;
  if (!row) throw new Error('the link was not stored');
  return { token, expiresAt: row.expiresAt };
}

/**
 * Makes the link of a mail that somebody asked for. The token is returned only here; undefined if the address of the
 * mail is no operator's, or the mail has ended. For the worker.
 */
export async function makeMailedOperatorLink(db: Queryable, mailId: string): Promise<string | undefined> {
  const token = createOperatorToken('link');
  const { rows } = await db.query<{ made: boolean }>('SELECT mail_make_operator_link($1, $2, $3) AS made', [
    ...[mailId, hashToken(token), OPERATOR_LINK_LIFETIME_MS],
  ]);
  return rows[0]?.made === true ? token : undefined;
}

/** The address of a link's page. */
export const toOperatorLinkUrl = (operatorUrl: string, token: string): string =>
  `${operatorUrl}/operator/links/${token}`;

/** The browser that signs in. */
export interface OperatorBrowser {
  network: string | null;
  userAgent: string | null;
}

export interface NewOperatorSession {
  /** `ot-…`; returned only here. */
  token: string;
  expiresAt: Date;
}

/** Spends a link, once. Returns a new session, or undefined if the link is unknown, used or expired. */
export async function spendOperatorLink(
  db: Queryable,
  token: string,
  browser: OperatorBrowser,
): Promise<NewOperatorSession | undefined> {
  if (!isWellFormedOperatorToken('link', token)) return undefined;
  const { rows } = await db.query<{ operatorId: string }>(
    `UPDATE operator_link l SET used_at = now() FROM operator o
     WHERE o.id = l.operator_id AND o.removed_at IS NULL
       AND l.token_sha256 = $1 AND l.used_at IS NULL AND l.expires_at > now()
     RETURNING l.operator_id AS "operatorId"`,
    [hashToken(token)],
  );
  const [spent] = rows;
  return spent && startOperatorSession(db, { operatorId: spent.operatorId, role: null, browser });
}

/** Starts a session. `role`: as an identity provider named it; null: the operator's own. */
export async function startOperatorSession(
  db: Queryable,
  { operatorId, role, browser }: { operatorId: string; role: OperatorRole | null; browser: OperatorBrowser },
): Promise<NewOperatorSession> {
  const token = createOperatorToken('session');
  const { rows } = await db.query<{ expiresAt: Date }>(
    `INSERT INTO operator_session (id, operator_id, token_sha256, role, network, user_agent, idle_expires_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + $7::bigint * interval '1 millisecond',
             now() + $8::bigint * interval '1 millisecond')
     RETURNING expires_at AS "expiresAt"`,
    [
      ...[uuidV7(), operatorId, hashToken(token), role],
      ...[browser.network, browser.userAgent, OPERATOR_IDLE_MS, OPERATOR_SESSION_MS],
    ],
  );
  const [row] = rows;
  if (!row) throw new Error('the session was not stored');
  return { token, expiresAt: row.expiresAt };
}

/** The person behind a session. */
export interface OperatorSession {
  sessionId: string;
  email: string;
  role: OperatorRole;
  expiresAt: Date;
}

/** The live session of a token, which it keeps from idling out. A malformed token costs no look-up. */
export async function findOperatorSession(
  db: Queryable,
  token: string,
): Promise<OperatorSession | undefined> {
  if (!isWellFormedOperatorToken('session', token)) return undefined;
  const { rows } = await db.query<OperatorSession & { isStale: boolean }>(
    `SELECT s.id AS "sessionId", o.email, coalesce(s.role, o.role) AS role, s.expires_at AS "expiresAt",
            s.idle_expires_at < now() + ($2::bigint - $3::bigint) * interval '1 millisecond' AS "isStale"
     FROM operator_session s JOIN operator o ON o.id = s.operator_id
     WHERE s.token_sha256 = $1 AND s.ended_at IS NULL AND s.expires_at > now() AND s.idle_expires_at > now()
       AND o.removed_at IS NULL`,
    [hashToken(token), OPERATOR_IDLE_MS, TOUCH_EVERY_MS],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { isStale, ...session } = row;
  if (isStale) {
    await db.query(
      `UPDATE operator_session SET idle_expires_at = now() + $2::bigint * interval '1 millisecond' WHERE id = $1`,
      [session.sessionId, OPERATOR_IDLE_MS],
    );
  }
  return session;
}

export async function endOperatorSession(db: Queryable, sessionId: string): Promise<void> {
  await db.query('UPDATE operator_session SET ended_at = now() WHERE id = $1 AND ended_at IS NULL', [
    sessionId,
  ]);
}
