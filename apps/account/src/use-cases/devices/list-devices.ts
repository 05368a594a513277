import type { PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { findOwnedDevices, type OwnedDevice } from './owned-devices';

/** A page of the account's devices, and one more where there is one. Throws for a cursor that is no device of it. */
export async function listDevices(
  accountId: string,
  prisma: PrismaClient,
  { limit, afterId }: { limit: number; afterId: string | undefined },
): Promise<OwnedDevice[]> {
  if (afterId !== undefined && !(await prisma.device.findFirst({ where: { accountId, id: afterId } }))) {
    throw new ApiError('invalid_request_error', {
      param: 'after',
      message: "'after' must be the id of a device of yours.",
    });
  }
  return findOwnedDevices(accountId, prisma, { afterId, count: limit + 1 });
}
