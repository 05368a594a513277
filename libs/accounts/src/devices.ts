import { createSessionToken, hashToken } from '@farebox/auth';
import type { Prisma } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { uuidV7 } from '@farebox/ids';
import type { Accounts, Note, Queryable } from './open-accounts';
import { requirePace } from './pace';
import { DEFAULT_SESSION_LIFETIMES } from './sessions';

const withSession = {
  session: { select: { idleExpiresAt: true, expiresAt: true, revokedAt: true } },
} as const;

/** A machine of an account's, with the session that was issued to it last. */
export type Device = Prisma.DeviceGetPayload<{ include: typeof withSession }>;

export function deviceStatus({ revokedAt }: Pick<Device, 'revokedAt'>): 'active' | 'revoked' {
  return revokedAt === null ? 'active' : 'revoked';
}

/** When the session of a device ends at the latest; `null` if it has none that lives. */
export function deviceSessionEnd({ session }: Pick<Device, 'session'>, now: Date): Date | null {
  const lives =
    session?.revokedAt === null &&
    session.idleExpiresAt.getTime() > now.getTime() &&
    session.expiresAt.getTime() > now.getTime();
  return lives ? session.expiresAt : null;
}

/** One device of an account. Throws what a missing one answers, for a device of another account too. */
export async function findDevice(accountId: string, { prisma }: Accounts, deviceId: string): Promise<Device> {
  const device = await prisma.device.findFirst({ where: { accountId, id: deviceId }, include: withSession });
  if (!device) throw deviceNotFound();
  return device;
}

/** The account's devices, newest first, revoked ones too: at most `count`, those after the device `afterId`. */
export function listDevices(
  accountId: string,
  { prisma }: Accounts,
  { afterId, count }: { afterId: string | undefined; count: number },
): Promise<Device[]> {
  return prisma.device.findMany({
    where: { accountId, ...(afterId === undefined ? {} : { id: { lt: afterId } }) },
    orderBy: { id: 'desc' },
    take: count,
    include: withSession,
  });
}

/** Whether a device is the account's, be it revoked. */
export async function ownsDevice(
  accountId: string,
  { prisma }: Accounts,
  deviceId: string,
): Promise<boolean> {
  return (await prisma.device.count({ where: { accountId, id: deviceId } })) === 1;
}

/** The account of a device; `undefined` if there is no such device. */
export async function findOwnerOfDevice(db: Queryable, deviceId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ accountId: string }>(
    'SELECT account_id AS "accountId" FROM device WHERE id = $1',
    [deviceId],
  );
  return rows[0]?.accountId;
}

/** Devices of an account that are not revoked. A bound against a runaway script, not a promise to the last device. */
const MOST_LIVE_DEVICES = 100;
/** Likewise: revoked devices stay on record. */
const MOST_NEW_DEVICES_A_DAY = 1_000;

/** Registers a device. It has no session yet. Throws `invalid_request_error` and `rate_limit_error`. */
export async function registerDevice(
  accountId: string,
  accounts: Accounts,
  { name, platform }: { name: string; platform: string },
  now: Date,
): Promise<Device> {
  await requireRoomForDevice(accountId, accounts, now);
  const device = await accounts.prisma.device.create({
    data: { id: uuidV7(), accountId, name, platform, createdAt: now },
  });
  return { ...device, session: null };
}

async function requireRoomForDevice(accountId: string, { prisma }: Accounts, now: Date): Promise<void> {
  if ((await prisma.device.count({ where: { accountId, revokedAt: null } })) >= MOST_LIVE_DEVICES) {
    throw new ApiError('invalid_request_error', {
      message: `The account has ${String(MOST_LIVE_DEVICES)} devices, which is the most. Revoke one that is not used.`,
    });
  }
  const earlier = await prisma.device.findFirst({
    where: { accountId },
    orderBy: { id: 'desc' },
    skip: MOST_NEW_DEVICES_A_DAY - 1,
  });
  requirePace(earlier?.createdAt, now, { mostADay: MOST_NEW_DEVICES_A_DAY, plural: 'devices' });
}

/** Names a device anew. Throws for one that is not there, and for one that is revoked. */
export async function renameDevice(
  accountId: string,
  accounts: Accounts,
  { deviceId, name }: { deviceId: string; name: string },
): Promise<Device> {
  const { count } = await accounts.prisma.device.updateMany({
    where: { accountId, id: deviceId, revokedAt: null },
    data: { name },
  });
  const device = await findDevice(accountId, accounts, deviceId);
  if (count === 0) throw deviceRevoked();
  return device;
}

/** Notes that a device was seen. Throws `authentication_error` for one that is revoked. */
export async function recordHeartbeat(
  accountId: string,
  accounts: Accounts,
  deviceId: string,
  now: Date,
): Promise<Device> {
  const { count } = await accounts.prisma.device.updateMany({
    where: { accountId, id: deviceId, revokedAt: null },
    data: { lastSeenAt: now },
  });
  // Revoked since the session was looked up, and the session with it.
  if (count === 0) throw new ApiError('authentication_error');
  return findDevice(accountId, accounts, deviceId);
}

/**
 * Ends a device and its session for good: once this is committed, no request with the session is let in. A device that
 * is revoked already stays as it is. Answers whether this call did it; `undefined` if the account has no such device.
 */
export async function revokeDevice(
  accountId: string,
  accounts: Accounts,
  deviceId: string,
  note?: Note,
): Promise<{ isNew: boolean } | undefined> {
  return accounts.transaction(async (inside) => {
    const { rowCount } = await inside.query(
      'UPDATE device SET revoked_at = now() WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL',
      [accountId, deviceId],
    );
    const isNew = rowCount === 1;
    // The device first: it waits for a session that is being issued, which this statement then sees.
    await inside.query(
      `UPDATE account_session SET revoked_at = now()
       WHERE account_id = $1 AND device_id = $2 AND revoked_at IS NULL`,
      [accountId, deviceId],
    );
    if (isNew) await note?.(accountId);
    return isNew || (await findOwnerOfDevice(inside, deviceId)) === accountId ? { isNew } : undefined;
  });
}

// The lock on the device orders this and a revocation: whichever comes second sees what the first one did. The row of
// the session before is taken over, so that a device never has two, and asking again and again leaves nothing behind.
const ISSUE_DEVICE_SESSION = `
  WITH live AS (
    SELECT account_id, id FROM device
    WHERE account_id = $2 AND id = $3 AND revoked_at IS NULL
    FOR NO KEY UPDATE
  )
  INSERT INTO account_session (id, account_id, device_id, token_sha256, idle_expires_at, expires_at)
  SELECT $1, account_id, id, $4, now() + least($5::bigint, $6::bigint) * interval '1 millisecond',
         now() + $6::bigint * interval '1 millisecond'
  FROM live
  ON CONFLICT (account_id, device_id) DO UPDATE
  SET id = excluded.id, token_sha256 = excluded.token_sha256, idle_expires_at = excluded.idle_expires_at,
      expires_at = excluded.expires_at, last_seen_at = excluded.last_seen_at, created_at = excluded.created_at,
      revoked_at = NULL
  RETURNING expires_at AS "expiresAt"`;

/**
 * Starts a session that is bound to a device of an account. The device's session before it ends with the commit. The
 * token is returned here and nowhere else; `undefined` if the account has no such device, or it is revoked.
 */
export async function issueDeviceSession(
  accountId: string,
  deviceId: string,
  db: Queryable,
  lifetimes = DEFAULT_SESSION_LIFETIMES,
): Promise<{ token: string; expiresAt: Date } | undefined> {
  const token = createSessionToken();
  const { rows } = await db.query<{ expiresAt: Date }>(ISSUE_DEVICE_SESSION, [
    ...[uuidV7(), accountId, deviceId, hashToken(token)],
    ...[lifetimes.idleMs, lifetimes.absoluteMs],
  ]);
  return rows[0] && { token, expiresAt: rows[0].expiresAt };
}

/** `issueDeviceSession`, which throws for a device that is not there, and for one that is revoked. */
export async function startDeviceSession(
  accountId: string,
  accounts: Accounts,
  deviceId: string,
): Promise<{ token: string; expiresAt: Date }> {
  const session = await issueDeviceSession(accountId, deviceId, accounts);
  if (session) return session;
  await findDevice(accountId, accounts, deviceId);
  throw deviceRevoked();
}

/** A missing device, one of another account and an id that is none answer the same. */
export function deviceNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'device_id',
    message: 'There is no such device on this account.',
  });
}

/** A revoked device stays on record, and that is all. */
function deviceRevoked(): ApiError {
  return new ApiError('invalid_request_error', {
    param: 'device_id',
    message: 'The device is revoked. Register it again.',
  });
}
