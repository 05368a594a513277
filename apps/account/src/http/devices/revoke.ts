import type { PrismaClient } from '@farebox/database';
import { revokeDevice } from '../../use-cases/devices/revoke-device';
import type { Endpoint } from '../endpoint';
import { readDeviceId, toDeviceRecord } from './device-wire';

/** `POST /v1/devices/{device_id}/revoke`: the revoked record, again and again. */
export function revokeEndpoint(prisma: PrismaClient): Endpoint {
  return {
    method: 'POST',
    path: '/v1/devices/:device_id/revoke',
    body: 'none',
    async handle({ accountId, deviceId: callerId, now, params }) {
      const device = await revokeDevice(accountId, prisma, { deviceId: callerId }, readDeviceId(params), now);
      return { status: 200, body: toDeviceRecord(device, now) };
    },
  };
}
