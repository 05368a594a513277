import type { Device, PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';

/** A device with the session that was issued to it last. */
export type OwnedDevice = Device & { session: DeviceSessionTimes | null };

export interface DeviceSessionTimes {
  idleExpiresAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

const withSession = {
  session: { select: { idleExpiresAt: true, expiresAt: true, revokedAt: true } },
} as const;

/** One device of an account. Throws what a missing one answers, for a device of another account too. */
export async function findOwnedDevice(
  accountId: string,
  prisma: PrismaClient,
  deviceId: string,
): Promise<OwnedDevice> {
  const device = await prisma.device.findFirst({ where: { accountId, id: deviceId }, include: withSession });
  if (!device) throw deviceNotFound();
  return device;
}

/** The account's devices, newest first: at most `count`, those after the device `afterId`. */
export function findOwnedDevices(
  accountId: string,
  prisma: PrismaClient,
  page: { afterId: string | undefined; count: number },
): Promise<OwnedDevice[]> {
  return prisma.device.findMany({
    where: { accountId, ...(page.afterId === undefined ? {} : { id: { lt: page.afterId } }) },
    orderBy: { id: 'desc' },
    take: page.count,
    include: withSession,
  });
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
export function deviceRevoked(): ApiError {
  return new ApiError('invalid_request_error', {
    param: 'device_id',
    message: 'The device is revoked. Register it again.',
  });
}
