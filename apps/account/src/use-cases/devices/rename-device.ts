import type { PrismaClient } from '@farebox/database';
import { requirePersonOrSelf } from './device-authority';
import { deviceRevoked, findOwnedDevice, type OwnedDevice } from './owned-devices';

/** Names a device anew. Throws for one that is not there, and for one that is revoked. */
export async function renameDevice(
  accountId: string,
  prisma: PrismaClient,
  caller: { deviceId: string | null },
  { deviceId, name }: { deviceId: string; name: string },
): Promise<OwnedDevice> {
  requirePersonOrSelf(caller.deviceId, deviceId);
  const { count } = await prisma.device.updateMany({
    where: { accountId, id: deviceId, revokedAt: null },
    data: { name },
  });
  const device = await findOwnedDevice(accountId, prisma, deviceId);
  if (count === 0) throw deviceRevoked();
  return device;
}
