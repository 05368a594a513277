import { createSessionToken, hashToken, isWellFormedSessionToken, uuidV7 } from '@farebox/auth';
import { ApiError } from '@farebox/errors';
import type { InviteStatus } from './accounts';
import { type Caller, toUserAgentLine } from './callers';
import { notingSql, toActorValues, type Actor } from './credential-events';
import type { Queryable } from '@farebox/database';
import { DAY_MS } from '@farebox/flow';
import type { Accounts } from './open-accounts';
import { endPlaygroundKeySql } from './playground-key';

export interface SessionLifetimes {
  /** A session ends after this long without use. */
  idleMs: number;
  /** A session ends this long after its start, even if used. */
  absoluteMs: number;
}

export const DEFAULT_SESSION_LIFETIMES: SessionLifetimes = { idleMs: 7 * DAY_MS, absoluteMs: 30 * DAY_MS };

export interface SessionIdentity {
  sessionId: string;
  accountId: string;
  /** The device that the session is bound to. */
  deviceId: string | null;
  inviteStatus: InviteStatus;
  expiresAt: Date;
  /** How a session begins. */
  now: Date;
}

/** How a session begins. */
interface NewSession {
  lifetimes?: SessionLifetimes;
  caller?: Caller;
  /** The creator, if it is not the person who signs in. */
  actor?: Actor;
  /**
   * The browser's cookie, and whether this sign-in accepts an invite, in which case no browser counts as new.
   */
  browser?: { token: string; isInvited: boolean };
}

const CREATE_SESSION = `
  WITH created AS (
    INSERT INTO account_session (account_id, id, token_sha256, idle_expires_at, expires_at, user_agent)
    VALUES ($1, $2, $3, now() + least($4::bigint, $5::bigint) * interval '1 millisecond',
            now() + $5::bigint * interval '1 millisecond', $6)
    RETURNING id, expires_at
  ), noted AS (
    INSERT INTO credential_event (account_id, credential, credential_id, action, actor_kind, actor, network, user_agent,
                                  browser_sha256, is_new_browser)
    SELECT $1, 'session', id, 'create', $7::actor_kind, $8, $9::inet, $10, $11::bytea,
           $12 AND NOT EXISTS (SELECT FROM credential_event WHERE account_id = $1 AND browser_sha256 = $11)
    FROM created
  )
  SELECT expires_at AS "expiresAt" FROM created`;

/** Starts and records a session of an account. The token is returned only here. */
export async function createSession(
  accountId: string,
  db: Queryable,
  { lifetimes = DEFAULT_SESSION_LIFETIMES, caller, actor, browser }: NewSession = {},
): Promise<{ token: string; expiresAt: Date }> {
  const token = createSessionToken();
  const sessionId = uuidV7();
  const { rows } = await db.query<{ expiresAt: Date }>(CREATE_SESSION, [
    ...[accountId, sessionId, hashToken(token), lifetimes.idleMs, lifetimes.absoluteMs],
    toUserAgentLine(caller?.userAgent ?? null),
    ...toActorValues(actor ?? { kind: 'session', id: sessionId, ...(caller && { caller }) }),
    // Hashed with the account, so that the rows do not reveal that two accounts share a browser.
    browser ? hashToken(`${accountId} ${browser.token}`) : null,
    browser !== undefined && !browser.isInvited,
  ]);
  const [row] = rows;
  if (!row) throw new Error('the session was not stored');
  return { token, expiresAt: row.expiresAt };
}

const IS_LIVE = 'session_is_live(revoked_at, expires_at, idle_expires_at, now())';

// Each use restarts the idle time, which is written at most once a minute.
const FIND_SESSION = `
  WITH live AS (
    SELECT s.id, s.account_id, s.device_id, s.expires_at, s.last_seen_at
    FROM account_session s
    WHERE s.token_sha256 = $1 AND ${IS_LIVE}
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

/** The live session of a token, by the database's clock. A malformed token costs no look-up. */
export async function findSession(
  db: Queryable,
  token: string,
  lifetimes = DEFAULT_SESSION_LIFETIMES,
): Promise<SessionIdentity | undefined> {
  if (!isWellFormedSessionToken(token)) return undefined;
  const { rows } = await db.query<SessionIdentity>({
    name: 'auth_find_session',
    text: FIND_SESSION,
    values: [hashToken(token), lifetimes.idleMs],
  });
  return rows[0];
}

/** A session as its owner sees it. */
export interface AccountSession {
  sessionId: string;
  /** The device that it is bound to. */
  deviceId: string | null;
  /** The user agent of the browser or program that signed in. */
  userAgent: string | null;
  /** Where it signed in, as CIDR, as long as that event is kept: see `Caller`. */
  network: string | null;
  createdAt: Date;
  lastSeenAt: Date;
  /** When it ends unless it is used before; never after `expiresAt`. */
  idleExpiresAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

const COLUMNS = `
  id AS "sessionId", device_id AS "deviceId", user_agent AS "userAgent", created_at AS "createdAt",
  last_seen_at AS "lastSeenAt", idle_expires_at AS "idleExpiresAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt",
  (SELECT e.network FROM credential_event e
   WHERE e.account_id = $1 AND e.at BETWEEN account_session.created_at AND account_session.created_at + interval '1 minute'
     AND e.credential = 'session' AND e.credential_id = account_session.id AND e.action = 'create') AS network`;

/** The account's live sessions, newest first: at most `count`, starting after the session `afterId`. */
export async function listAccountSessions(
  accountId: string,
  db: Queryable,
  page: { afterId: string | undefined; count: number },
): Promise<AccountSession[]> {
  const { rows } = await db.query<AccountSession>(
    `SELECT ${COLUMNS} FROM account_session
     WHERE account_id = $1 AND ${IS_LIVE}
       AND ($2::uuid IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [accountId, page.afterId, page.count],
  );
  return rows;
}

/** Whether a session belongs to the account, even if it has ended. */
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

/** The account of a session; `undefined` if there is no such session. */
export async function findOwnerOfSession(db: Queryable, sessionId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ accountId: string }>(
    'SELECT account_id AS "accountId" FROM account_session WHERE id = $1',
    [sessionId],
  );
  return rows[0]?.accountId;
}

/**
 * Ends a session, and the playground's key with it: once this is committed, no request with either is served.
 * An already revoked session stays as it is. Returns the session and whether it was live until now; `undefined` if the account has none with this
 * id.
 */
export async function endAccountSession(
  accountId: string,
  db: Queryable,
  sessionId: string,
  actor: Actor,
): Promise<{ session: AccountSession; isNew: boolean } | undefined> {
  const { rows } = await db.query<AccountSession & { isNew: boolean }>(
    `WITH found AS (
       SELECT id AS found_id, ${IS_LIVE} AS "isNew" FROM account_session
       WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE
     ), ended AS (
       UPDATE account_session SET revoked_at = coalesce(revoked_at, now())
       FROM found WHERE id = found_id RETURNING ${COLUMNS}, "isNew"
     ), of_new AS (SELECT "sessionId" AS id FROM ended WHERE "isNew"),
     noted AS (${notingSql('session', 'revoke', { done: 'of_new', at: 3 })}),
     ${endPlaygroundKeySql({ after: 'of_new', at: 3 })}
     SELECT * FROM ended`,
    [accountId, sessionId, ...toActorValues(actor)],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { isNew, ...session } = row;
  return { session, isNew };
}

/**
 * Ends all sessions of an account including those of its devices, the playground's key, the links that would
 * start others, and the mails that would bring such links. Returns the number of each.
 */
export function endAllAccountSessions(
  accountId: string,
  accounts: Accounts,
  actor: Actor,
): Promise<{ sessions: number; links: number; mails: number }> {
  return accounts.transaction(async (within) => {
    // In the order in which one creates the next, each in its own statement: it then sees the link created
    // meanwhile for a mail, and the session of a link that was being spent.
    const mails = await within.query<{ count: number }>(
      'SELECT mail_end_links(p_account_id => $1) AS count',
      [accountId],
    );
    const links = await within.query(
      'UPDATE sign_in_link SET used_at = now() WHERE account_id = $1 AND used_at IS NULL AND expires_at > now()',
      [accountId],
    );
    const sessions = await within.query(
      `WITH ended AS (
         UPDATE account_session SET revoked_at = now()
         WHERE account_id = $1 AND ${IS_LIVE} RETURNING id
       ), ${endPlaygroundKeySql({ at: 2 })}
       ${notingSql('session', 'revoke', { done: 'ended', at: 2 })}`,
      [accountId, ...toActorValues(actor)],
    );
    return {
      sessions: sessions.rowCount ?? 0,
      links: links.rowCount ?? 0,
      mails: mails.rows[0]?.count ?? 0,
    };
  });
}

// A device's session must not grant another session, which would outlive the device.

/** Throws `authentication_error` if a device's session requests something that only a person may do. */
export function requirePerson(sessionDeviceId: string | null): void {
  if (sessionDeviceId !== null) throw personRequired();
}

/** Throws `authentication_error` if a device's session requests a device other than its own. */
export function requirePersonOrSelf(sessionDeviceId: string | null, deviceId: string): void {
  if (sessionDeviceId !== null && sessionDeviceId !== deviceId) throw personRequired();
}

/** The calling device. Throws `invalid_request_error` if the session is not bound to a device. */
export function requireDevice(sessionDeviceId: string | null): string {
  if (sessionDeviceId !== null) return sessionDeviceId;
  throw new ApiError('invalid_request_error', {
    message:
      'This session is not bound to a device. Use the session returned by POST /v1/devices/{device_id}/session.',
  });
}

function personRequired(): ApiError {
  return new ApiError('authentication_error', {
    message:
      'The session of a device cannot change the account, or manage devices or sessions other than its own. Sign in to do so.',
  });
}
