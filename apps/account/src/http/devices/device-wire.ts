import { toUnixSeconds, type DeviceRecord } from '@farebox/contracts';
import { fromPublicId, toPublicId } from '@farebox/ids';
import {
  deviceNotFound,
  type DeviceSessionTimes,
  type OwnedDevice,
} from '../../use-cases/devices/owned-devices';

/** The record of a device as it is at a time. */
export function toDeviceRecord(device: OwnedDevice, now: Date): DeviceRecord {
  return {
    object: 'device',
    device_id: toPublicId('dev', device.id),
    name: device.name,
    platform: device.platform,
    status: device.revokedAt === null ? 'active' : 'revoked',
    created_at: toUnixSeconds(device.createdAt),
    last_seen_at: device.lastSeenAt && toUnixSeconds(device.lastSeenAt),
    session_expires_at:
      device.session && isLive(device.session, now) ? toUnixSeconds(device.session.expiresAt) : null,
    revoked_at: device.revokedAt && toUnixSeconds(device.revokedAt),
  };
}

/** The device that a path names. Throws what a missing device answers where it names none. */
export function readDeviceId(params: Readonly<Record<string, unknown>>): string {
  const text = params['device_id'];
  const deviceId = typeof text === 'string' ? fromPublicId('dev', text) : undefined;
  if (deviceId === undefined) throw deviceNotFound();
  return deviceId;
}

function isLive({ idleExpiresAt, expiresAt, revokedAt }: DeviceSessionTimes, now: Date): boolean {
  return revokedAt === null && idleExpiresAt.getTime() > now.getTime() && expiresAt.getTime() > now.getTime();
}
