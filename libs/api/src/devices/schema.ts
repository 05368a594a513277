import { z } from 'zod';
import { listPage, nameText, oneLineText, pageParameters, unixSeconds } from '../fields';

const deviceId = z.string().regex(/^dev_[0-9a-z]{26}$/);

/** A machine of an account. */
export const deviceRecord = z.strictObject({
  object: z.literal('device'),
  device_id: deviceId,
  name: z.string(),
  platform: z.string(),
  status: z.enum(['active', 'revoked']),
  created_at: unixSeconds,
  last_seen_at: unixSeconds.nullable().describe('The last heartbeat.'),
  session_expires_at: unixSeconds
    .nullable()
    .describe('When the session of the device ends at the latest. Null if it has none.'),
  revoked_at: unixSeconds.nullable(),
});
export type DeviceRecord = z.output<typeof deviceRecord>;

export const deviceList = listPage(deviceRecord);

/** The response of `POST /v1/devices/{device_id}/session`: the only place that shows the token. */
export const deviceSession = z.strictObject({
  object: z.literal('device_session'),
  device_id: deviceId,
  session_token: z.string().regex(/^st-[A-Za-z0-9_-]{43}$/),
  expires_at: unixSeconds.describe('When the session ends at the latest. Without use it ends earlier.'),
});
export type DeviceSession = z.output<typeof deviceSession>;

/** `POST /v1/devices/register`. */
export const registerDeviceBody = z.strictObject({
  name: nameText,
  platform: oneLineText(64).describe('What the machine runs, in the words of its client: "linux-x64".'),
});

/** `POST /v1/devices/{device_id}/rename`. */
export const renameDeviceBody = z.strictObject({ name: nameText });

/** `GET /v1/devices`. */
export const listDevicesQuery = z.strictObject(pageParameters('dev'));
