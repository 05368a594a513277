import {
  deviceNotFound,
  requireDevice,
  requirePerson,
  requirePersonOrSelf,
  type Device,
} from '@farebox/accounts';
import { fromPublicId, toPublicId } from '@farebox/auth';
import { toListPage, toUnixSeconds, type DeviceRecord, type DeviceSession } from '@farebox/api';
import { deviceOperations as operations } from '@farebox/api/operations';
import { requireCursor } from '../use-cases/account';
import type { UseCases } from '../use-cases/bind-use-cases';
import { on, type Endpoint } from './endpoint';

/** `/v1/devices`. The `deviceId` of a request is that of its session. */
export function deviceEndpoints(devices: UseCases['devices']): Endpoint[] {
  return [
    on(operations.listDevices, async ({ accountId, now, filter: { limit, after } }) => {
      await requireCursor(accountId, after, devices.ownsDevice, 'id of a device');
      const found = await devices.listDevices(accountId, { afterId: after, count: limit + 1 }, now);
      return { body: toListPage(found.map(toDeviceRecord), limit, (record) => record.device_id) };
    }),

    on(operations.getDevice, async ({ accountId, now, params }) => ({
      body: toDeviceRecord(await devices.findDevice(accountId, readDeviceId(params), now)),
    })),

    on(operations.registerDevice, async ({ accountId, deviceId, body, ...doing }) => {
      requirePerson(deviceId);
      return { body: toDeviceRecord(await devices.registerDevice(accountId, body, doing)) };
    }),

    on(operations.startDeviceSession, async ({ accountId, deviceId, actor, params }) => {
      const id = readDeviceId(params);
      requirePerson(deviceId);
      const { token, expiresAt } = await devices.startDeviceSession(accountId, id, actor);
      const body: DeviceSession = {
        object: 'device_session',
        device_id: toPublicId('dev', id),
        session_token: token,
        expires_at: toUnixSeconds(expiresAt),
      };
      return { body };
    }),

    on(operations.sendDeviceHeartbeat, async ({ accountId, deviceId, now }) => {
      const device = await devices.recordHeartbeat(accountId, requireDevice(deviceId), now);
      return { body: toDeviceRecord(device) };
    }),

    on(operations.renameDevice, async ({ accountId, deviceId, params, body, ...doing }) => {
      const id = readDeviceId(params);
      requirePersonOrSelf(deviceId, id);
      const renaming = { deviceId: id, name: body.name };
      return { body: toDeviceRecord(await devices.renameDevice(accountId, renaming, doing)) };
    }),

    on(operations.revokeDevice, async ({ accountId, deviceId, actor, now, params }) => {
      const id = readDeviceId(params);
      requirePersonOrSelf(deviceId, id);
      await devices.revokeDevice(accountId, id, actor);
      return { body: toDeviceRecord(await devices.findDevice(accountId, id, now)) };
    }),
  ];
}

export function toDeviceRecord(device: Device): DeviceRecord {
  return {
    object: 'device',
    device_id: toPublicId('dev', device.id),
    name: device.name,
    platform: device.platform,
    status: device.status,
    created_at: toUnixSeconds(device.createdAt),
    last_seen_at: device.lastSeenAt && toUnixSeconds(device.lastSeenAt),
    session_expires_at: device.sessionExpiresAt && toUnixSeconds(device.sessionExpiresAt),
    revoked_at: device.revokedAt && toUnixSeconds(device.revokedAt),
  };
}

/** The device id in a path. Throws the error of a missing device if it is malformed. */
export function readDeviceId({ device_id: text }: Readonly<Record<string, unknown>>): string {
  const deviceId = typeof text === 'string' ? fromPublicId('dev', text) : undefined;
  if (deviceId === undefined) throw deviceNotFound();
  return deviceId;
}
