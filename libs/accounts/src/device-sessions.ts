import { uuidV7 } from '@farebox/ids';
import type { Pool } from 'pg';
import { createSessionToken, hashSessionToken } from '@farebox/auth';
import { DEFAULT_SESSION_LIFETIMES } from './sessions';

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
 * token is returned here and nowhere else; `undefined` where the account has no such device, or it is revoked.
 */
export async function issueDeviceSession(
  accountId: string,
  deviceId: string,
  pool: Pool,
  lifetimes = DEFAULT_SESSION_LIFETIMES,
): Promise<{ token: string; expiresAt: Date } | undefined> {
  const token = createSessionToken();
  const { rows } = await pool.query<{ expiresAt: Date }>(ISSUE_DEVICE_SESSION, [
    uuidV7(),
    accountId,
    deviceId,
    hashSessionToken(token),
    lifetimes.idleMs,
    lifetimes.absoluteMs,
  ]);
  return rows[0] && { token, expiresAt: rows[0].expiresAt };
}
