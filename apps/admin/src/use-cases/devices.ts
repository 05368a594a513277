import type { Pool, PoolClient } from 'pg';

/** A device as the operator sees it. */
export interface ListedDevice {
  id: string;
  name: string;
  platform: string;
  createdAt: Date;
  lastSeenAt: Date | null;
  revokedAt: Date | null;
}

/** An account's devices, newest first: at most `count`, those after the device `afterId`. */
export async function listDevices(
  db: Pick<Pool, 'query'>,
  accountId: string,
  { afterId, count }: { afterId: string | undefined; count: number },
): Promise<ListedDevice[]> {
  const { rows } = await db.query<ListedDevice>(
    `SELECT id, name, platform, created_at AS "createdAt", last_seen_at AS "lastSeenAt", revoked_at AS "revokedAt"
     FROM device WHERE account_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [accountId, afterId ?? null, count],
  );
  return rows;
}

/**
 * Ends a device and its session for good. `client` is that of a transaction. Answers with its account and whether this
 * call did it; `undefined` where there is no such device.
 */
export async function revokeDevice(
  client: PoolClient,
  deviceId: string,
): Promise<{ accountId: string; revoked: boolean } | undefined> {
  // The device first: it waits for a session that is being issued, which the next statement then sees.
  const { rowCount } = await client.query(
    'UPDATE device SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL',
    [deviceId],
  );
  await client.query(
    'UPDATE account_session SET revoked_at = now() WHERE device_id = $1 AND revoked_at IS NULL',
    [deviceId],
  );
  const { rows } = await client.query<{ account_id: string }>('SELECT account_id FROM device WHERE id = $1', [
    deviceId,
  ]);
  const [device] = rows;
  return device && { accountId: device.account_id, revoked: rowCount === 1 };
}
