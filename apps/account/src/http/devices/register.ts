import { parseBody, registerDeviceBody } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import { registerDevice } from '../../use-cases/devices/register-device';
import type { Endpoint } from '../endpoint';
import { toDeviceRecord } from './device-wire';

/** `POST /v1/devices/register`: 201 with the record. */
export function registerEndpoint(prisma: PrismaClient): Endpoint {
  return {
    method: 'POST',
    path: '/v1/devices/register',
    body: 'required',
    async handle({ accountId, deviceId, now, body }) {
      const wanted = parseBody(registerDeviceBody, body);
      const device = await registerDevice(accountId, prisma, { deviceId }, wanted, now);
      return { status: 201, body: toDeviceRecord(device, now) };
    },
  };
}
