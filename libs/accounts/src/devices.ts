import { createSessionToken, hashToken, uuidV7 } from '@farebox/auth';
import { ApiError } from '@farebox/errors';
import { type Actor, notingSql, requireChangePace, requirePace, toActorValues } from './credential-events';
import type { Queryable } from '@farebox/database';
import type { Accounts } from './open-accounts';
import { DEFAULT_SESSION_LIFETIMES } from './sessions';

/** A machine registered to an account. */
export interface Device {
  id: string;
  accountId: string;
  name: string;
  platform: string;
  status: 'active' | 'revoked';
  createdAt: Date;
  /** The time of its last heartbeat. */
  lastSeenAt: Date | null;
  revokedAt: Date | null;
  /** When its session expires at the latest; `null` if it has no live session. */
  sessionExpiresAt: Date | null;
}

// At the time `$2`. A device has at most one session.
const RECORD = `
  SELECT d.id, d.account_id AS "accountId", d.name, d.platform, device_status(d.revoked_at) AS status,
         d.created_at AS "createdAt", d.last_seen_at AS "lastSeenAt", d.revoked_at AS "revokedAt",
         CASE WHEN session_is_live(s.revoked_at, s.expires_at, s.idle_expires_at, $2::timestamptz)
              THEN s.expires_at END AS "sessionExpiresAt"
  FROM device d LEFT JOIN account_session s ON s.account_id = d.account_id AND s.device_id = d.id
  WHERE d.account_id = $1`;

/** One device of an account. Throws the not-found error, also for a device of another account. */
export async function findDevice(
  accountId: string,
  db: Queryable,
  deviceId: string,
  now: Date,
): Promise<Device> {
  const { rows } = await db.query<Device>(`${RECORD} AND d.id = $3`, [accountId, now, deviceId]);
  const [device] = rows;
  if (!device) throw deviceNotFound();
  return device;
}

/**
 * The account's devices, newest first, including revoked ones: at most `count`, starting after the device
 * `afterId`.
 */
export async function listDevices(
  accountId: string,
  db: Queryable,
  { afterId, count }: { afterId: string | undefined; count: number },
  now: Date,
): Promise<Device[]> {
  const { rows } = await db.query<Device>(
    `${RECORD} AND ($3::uuid IS NULL OR d.id < $3) ORDER BY d.id DESC LIMIT $4`,
    [accountId, now, afterId, count],
  );
  return rows;
}

/** Whether a device belongs to the account, even if revoked. */
export async function ownsDevice(accountId: string, db: Queryable, deviceId: string): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM device WHERE account_id = $1 AND id = $2', [
    accountId,
    deviceId,
  ]);
  return rowCount === 1;
}

/** The account of a device; `undefined` if there is no such device. */
export async function findOwnerOfDevice(db: Queryable, deviceId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ accountId: string }>(
    'SELECT account_id AS "accountId" FROM device WHERE id = $1',
    [deviceId],
  );
  return rows[0]?.accountId;
}

/**
 * Limit of unrevoked devices per account. It bounds a runaway script and may be exceeded by a few devices.
 */
const MOST_LIVE_DEVICES = 100;
/** Also against runaway scripts: revoked devices stay on record. */
const MOST_NEW_DEVICES_A_DAY = 1_000;

/** The actor and the time of a change to a device. */
interface Doing {
  actor: Actor;
  now: Date;
}

/** Registers a device. It has no session yet. Throws `invalid_request_error` and `rate_limit_error`. */
export async function registerDevice(
  accountId: string,
  accounts: Accounts,
  { name, platform }: { name: string; platform: string },
  { actor, now }: Doing,
): Promise<Device> {
  await requireRoomForDevice(accountId, accounts, now);
  const deviceId = uuidV7();
  await accounts.query(
    `WITH created AS (
       INSERT INTO device (account_id, id, name, platform, created_at) VALUES ($1, $2, $3, $4, $5) RETURNING id
     ) ${notingSql('device', 'create', { done: 'created', at: 6 })}`,
    [accountId, deviceId, name, platform, now, ...toActorValues(actor)],
  );
  return findDevice(accountId, accounts, deviceId, now);
}

async function requireRoomForDevice(accountId: string, db: Queryable, now: Date): Promise<void> {
  const { rows } = await db.query<{ live: number; earlier: Date | null }>(
    `SELECT (SELECT count(*)::int FROM device
             WHERE account_id = $1 AND device_status(revoked_at) = 'active') AS live,
            (SELECT created_at FROM device WHERE account_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1) AS earlier`,
    [accountId, MOST_NEW_DEVICES_A_DAY - 1],
  );
  if ((rows[0]?.live ?? 0) >= MOST_LIVE_DEVICES) {
    throw new ApiError('invalid_request_error', {
      message: `The account has ${String(MOST_LIVE_DEVICES)} devices, which is the limit. Revoke one that is not used.`,
    });
  }
  const pace = { mostADay: MOST_NEW_DEVICES_A_DAY, plural: 'devices' };
  requirePace(rows[0]?.earlier ?? undefined, now, pace);
}

/** Renames a device. Throws if it does not exist or is revoked. */
export async function renameDevice(
  accountId: string,
  db: Queryable,
  { deviceId, name }: { deviceId: string; name: string },
  { actor, now }: Doing,
): Promise<Device> {
  await requireChangePace(accountId, db, actor);
  const { rowCount } = await db.query(
    `WITH changed AS (
       UPDATE device SET name = $3 WHERE account_id = $1 AND id = $2 AND device_status(revoked_at) = 'active'
       RETURNING id
     ) ${notingSql('device', 'change', { done: 'changed', at: 4 })}`,
    [accountId, deviceId, name, ...toActorValues(actor)],
  );
  const device = await findDevice(accountId, db, deviceId, now);
  if (rowCount === 0) throw deviceRevoked();
  return device;
}

/** Records a heartbeat of a device. Throws `authentication_error` if it is revoked. */
export async function recordHeartbeat(
  accountId: string,
  db: Queryable,
  deviceId: string,
  now: Date,
): Promise<Device> {
  const { rowCount } = await db.query(
    `UPDATE device SET last_seen_at = $3
     WHERE account_id = $1 AND id = $2 AND device_status(revoked_at) = 'active'`,
    [accountId, deviceId, now],
  );
  // Device and session were revoked after the session was looked up.
  if (rowCount === 0) throw new ApiError('authentication_error');
  return findDevice(accountId, db, deviceId, now);
}

/**
 * Revokes a device and its session for good: once this is committed, no request with the session is accepted.
 * An already revoked device stays as it is. Returns whether this call revoked it; `undefined` if the account
 * has no such device.
 */
export async function revokeDevice(
  accountId: string,
  accounts: Accounts,
  deviceId: string,
  actor: Actor,
): Promise<{ isNew: boolean } | undefined> {
  return accounts.transaction(async (inside) => {
    const { rowCount } = await inside.query(
      `WITH ended AS (
         UPDATE device SET revoked_at = now() WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING id
       ) ${notingSql('device', 'revoke', { done: 'ended', at: 3 })}`,
      [accountId, deviceId, ...toActorValues(actor)],
    );
    const isNew = rowCount === 1;
    // The device first: that waits for a session being issued, which this statement then sees.
    await inside.query(
      `WITH ended AS (
         UPDATE account_session SET revoked_at = now()
         WHERE account_id = $1 AND device_id = $2 AND revoked_at IS NULL RETURNING id
       ) ${notingSql('session', 'revoke', { done: 'ended', at: 3 })}`,
      [accountId, deviceId, ...toActorValues(actor)],
    );
    return isNew || (await ownsDevice(accountId, inside, deviceId)) ? { isNew } : undefined;
  });
}

// The lock on the device serialises this with a revocation: the second one sees the result of the first. The
// row of the former session is reused, so that a device never has two. It is locked after the device, so that
// it is read as the last call left it before it is reused.
const ISSUE_DEVICE_SESSION = `
  WITH live AS MATERIALIZED (
    SELECT account_id, id FROM device
    WHERE account_id = $1 AND id = $2 AND device_status(revoked_at) = 'active'
    FOR NO KEY UPDATE
  ), former AS MATERIALIZED (
    SELECT s.id FROM live JOIN account_session s ON s.account_id = live.account_id AND s.device_id = live.id
    WHERE session_is_live(s.revoked_at, s.expires_at, s.idle_expires_at, now())
    FOR UPDATE OF s
  ), replaced AS (${notingSql('session', 'revoke', { done: 'former', at: 7 })}
  ), issued AS (
    INSERT INTO account_session (id, account_id, device_id, token_sha256, idle_expires_at, expires_at)
    SELECT $3, live.account_id, live.id, $4, now() + least($5::bigint, $6::bigint) * interval '1 millisecond',
           now() + $6::bigint * interval '1 millisecond'
    FROM live LEFT JOIN former ON true
    ON CONFLICT (account_id, device_id) DO UPDATE
    SET id = excluded.id, token_sha256 = excluded.token_sha256, idle_expires_at = excluded.idle_expires_at,
        expires_at = excluded.expires_at, last_seen_at = excluded.last_seen_at, created_at = excluded.created_at,
        revoked_at = NULL
    RETURNING id, expires_at
  ), noted AS (${notingSql('session', 'create', { done: 'issued', at: 7 })})
  SELECT expires_at AS "expiresAt" FROM issued`;

/**
 * Starts a session bound to a device of an account. The device's former session ends with the commit. The
 * token is returned only here; `undefined` if the account has no such device or it is revoked.
 */
export async function issueDeviceSession(
  accountId: string,
  deviceId: string,
  db: Queryable,
  actor: Actor,
  lifetimes = DEFAULT_SESSION_LIFETIMES,
): Promise<{ token: string; expiresAt: Date } | undefined> {
  const token = createSessionToken();
  const { rows } = await db.query<{ expiresAt: Date }>(ISSUE_DEVICE_SESSION, [
    ...[accountId, deviceId, uuidV7(), hashToken(token)],
    ...[lifetimes.idleMs, lifetimes.absoluteMs, ...toActorValues(actor)],
  ]);
  return rows[0] && { token, expiresAt: rows[0].expiresAt };
}

/**
 * `issueDeviceSession`, but throws if the device is missing or revoked, and `rate_limit_error`, since each
 * session records events.
 */
export async function startDeviceSession(
  accountId: string,
  db: Queryable,
  deviceId: string,
  actor: Actor,
): Promise<{ token: string; expiresAt: Date }> {
  await requireChangePace(accountId, db, actor);
  const session = await issueDeviceSession(accountId, deviceId, db, actor);
  if (session) return session;
  throw (await ownsDevice(accountId, db, deviceId)) ? deviceRevoked() : deviceNotFound();
}

/** The same error for a missing device, another account's device, and a malformed id. */
export function deviceNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'device_id',
    message: 'There is no such device on this account.',
  });
}

/** A revoked device stays on record but cannot be used again. */
function deviceRevoked(): ApiError {
  return new ApiError('invalid_request_error', {
    param: 'device_id',
    message: 'The device is revoked. Register it again.',
  });
}
