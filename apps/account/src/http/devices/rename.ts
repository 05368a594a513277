import { parseBody, renameDeviceBody } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import { renameDevice } from '../../use-cases/devices/rename-device';
import type { Endpoint } from '../endpoint';
import { readDeviceId, toDeviceRecord } from './device-wire';

/** `POST /v1/devices/{device_id}/rename`. */
export function renameEndpoint(prisma: PrismaClient): Endpoint {
  return {
    method: 'POST',
    path: '/v1/devices/:device_id/rename',
    body: 'required',
    async handle({ accountId, deviceId: callerId, now, params, body }) {
      const { name } = parseBody(renameDeviceBody, body);
      const wanted = { deviceId: readDeviceId(params), name };
      const device = await renameDevice(accountId, prisma, { deviceId: callerId }, wanted);
      return { status: 200, body: toDeviceRecord(device, now) };
    },
  };
}
