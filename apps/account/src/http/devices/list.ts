import { listDevicesQuery, parseQuery, toListPage } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import { listDevices } from '../../use-cases/devices/list-devices';
import type { Endpoint } from '../endpoint';
import { toDeviceRecord } from './device-wire';

/** `GET /v1/devices`: the account's devices, newest first, revoked ones too. */
export function listEndpoint(prisma: PrismaClient): Endpoint {
  return {
    method: 'GET',
    path: '/v1/devices',
    body: 'none',
    async handle({ accountId, now, query }) {
      const { limit, after } = parseQuery(listDevicesQuery, query);
      const devices = await listDevices(accountId, prisma, { limit, afterId: after });
      const records = devices.map((device) => toDeviceRecord(device, now));
      return { status: 200, body: toListPage(records, limit, (record) => record.device_id) };
    },
  };
}
