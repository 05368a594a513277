import type { PrismaClient } from '@farebox/database';
import { recordHeartbeat } from '../../use-cases/devices/record-heartbeat';
import type { Endpoint } from '../endpoint';
import { toDeviceRecord } from './device-wire';

/** `POST /v1/devices/heartbeat`, with the session of a device: its record, seen now. */
export function heartbeatEndpoint(prisma: PrismaClient): Endpoint {
  return {
    method: 'POST',
    path: '/v1/devices/heartbeat',
    body: 'none',
    async handle({ accountId, deviceId, now }) {
      const device = await recordHeartbeat(accountId, prisma, { deviceId }, now);
      return { status: 200, body: toDeviceRecord(device, now) };
    },
  };
}
