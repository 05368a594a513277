import { z } from 'zod';
import { pageParameters } from '../list-page';
import { oneLineText } from '../one-line-text';

const deviceName = oneLineText(100);

/** `POST /v1/devices/register`. */
export const registerDeviceBody = z.strictObject({
  name: deviceName,
  platform: oneLineText(64).describe('What the machine runs, in the words of its client: "linux-x64".'),
});
export type RegisterDeviceBody = z.output<typeof registerDeviceBody>;

/** `POST /v1/devices/{device_id}/rename`. */
export const renameDeviceBody = z.strictObject({ name: deviceName });
export type RenameDeviceBody = z.output<typeof renameDeviceBody>;

/** `GET /v1/devices`. */
export const listDevicesQuery = z.strictObject(pageParameters('dev'));
export type ListDevicesQuery = z.output<typeof listDevicesQuery>;
