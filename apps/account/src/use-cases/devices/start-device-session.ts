import { issueDeviceSession } from '@farebox/accounts';
import type { PrismaClient } from '@farebox/database';
import type { Pool } from 'pg';
import { requirePerson } from './device-authority';
import { deviceRevoked, findOwnedDevice } from './owned-devices';

/**
 * Gives a device a session, in place of the one before, which ends at once. Throws for a device that is not there, and
 * for one that is revoked.
 */
export async function startDeviceSession(
  accountId: string,
  { pool, prisma }: { pool: Pool; prisma: PrismaClient },
  caller: { deviceId: string | null },
  deviceId: string,
): Promise<{ token: string; expiresAt: Date }> {
  requirePerson(caller.deviceId);
  const session = await issueDeviceSession(accountId, deviceId, pool);
  if (session) return session;
  await findOwnedDevice(accountId, prisma, deviceId);
  throw deviceRevoked();
}
