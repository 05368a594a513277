import type { PrismaClient } from '@farebox/database';
import { requirePersonOrSelf } from './device-authority';
import { findOwnedDevice, type OwnedDevice } from './owned-devices';

/**
 * Ends a device and its session for good: once this has answered, no request with the session is let in. A device that
 * is revoked already stays as it is. Throws for one that is not there.
 */
export async function revokeDevice(
  accountId: string,
  prisma: PrismaClient,
  caller: { deviceId: string | null },
  deviceId: string,
  now: Date,
): Promise<OwnedDevice> {
  requirePersonOrSelf(caller.deviceId, deviceId);
  // The device first: it waits for a session that is being issued, which the second statement then sees.
  await prisma.$transaction([
    prisma.device.updateMany({
      where: { accountId, id: deviceId, revokedAt: null },
      data: { revokedAt: now },
    }),
    prisma.accountSession.updateMany({
      where: { accountId, deviceId, revokedAt: null },
      data: { revokedAt: now },
    }),
  ]);
  return findOwnedDevice(accountId, prisma, deviceId);
}
