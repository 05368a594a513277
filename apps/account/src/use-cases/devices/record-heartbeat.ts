import type { PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { requireDevice } from './device-authority';
import { findOwnedDevice, type OwnedDevice } from './owned-devices';

/** Notes that a device was seen. Throws `invalid_request_error` where the session is no device's. */
export async function recordHeartbeat(
  accountId: string,
  prisma: PrismaClient,
  caller: { deviceId: string | null },
  now: Date,
): Promise<OwnedDevice> {
  const deviceId = requireDevice(caller.deviceId);
  const { count } = await prisma.device.updateMany({
    where: { accountId, id: deviceId, revokedAt: null },
    data: { lastSeenAt: now },
  });
  // Revoked since the session was looked up, and the session with it.
  if (count === 0) throw new ApiError('authentication_error');
  return findOwnedDevice(accountId, prisma, deviceId);
}
