import type { PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { uuidV7 } from '@farebox/ids';
import { requirePace } from '../require-pace';
import { requirePerson } from './device-authority';
import type { OwnedDevice } from './owned-devices';

/** Devices of an account that are not revoked. A bound against a runaway script, not a promise to the last device. */
const MOST_LIVE_DEVICES = 100;
/** Likewise: revoked devices stay on record. */
const MOST_NEW_DEVICES_A_DAY = 1_000;

/** Registers a device. It has no session yet. Throws `invalid_request_error` and `rate_limit_error`. */
export async function registerDevice(
  accountId: string,
  prisma: PrismaClient,
  caller: { deviceId: string | null },
  { name, platform }: { name: string; platform: string },
  now: Date,
): Promise<OwnedDevice> {
  requirePerson(caller.deviceId);
  await requireRoomForDevice(accountId, prisma, now);
  const device = await prisma.device.create({
    data: { id: uuidV7(), accountId, name, platform, createdAt: now },
  });
  return { ...device, session: null };
}

async function requireRoomForDevice(accountId: string, prisma: PrismaClient, now: Date): Promise<void> {
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
