import type { Device } from '@farebox/accounts';
import { toPublicId, uuidV7 } from '@farebox/auth';
import { deviceRecord } from '@farebox/api';
import { readDeviceId, toDeviceRecord } from './devices';

const past = new Date('2026-11-21T11:59:59.999Z');
const future = new Date('2026-11-21T12:00:00.001Z');

const device: Device = {
  id: uuidV7(),
  accountId: uuidV7(),
  name: 'laptop',
  platform: 'linux-x64',
  lastSeenAt: null,
  revokedAt: null,
  createdAt: past,
  status: 'active',
  sessionExpiresAt: null,
};

describe('the record of a device', () => {
  it('matches the contract, without data of the account', () => {
    const record = toDeviceRecord(device);
    expect(deviceRecord.parse(record)).toEqual(record);
    expect(JSON.stringify(record)).not.toContain(toPublicId('acct', device.accountId));
    expect(record).toMatchObject({ status: 'active', last_seen_at: null, revoked_at: null });
  });

  it('has the end of a live session', () => {
    const endOf = (sessionExpiresAt: Date | null) =>
      toDeviceRecord({ ...device, sessionExpiresAt }).session_expires_at;
    expect(endOf(future)).toBe(1_795_262_400);
    expect(endOf(null)).toBeNull();
  });

  it('is marked as revoked', () => {
    expect(toDeviceRecord({ ...device, status: 'revoked', revokedAt: past })).toMatchObject({
      status: 'revoked',
      revoked_at: 1_795_262_399,
    });
  });
});

it('a path accepts a device only in canonical form', () => {
  expect(readDeviceId({ device_id: toPublicId('dev', device.id) })).toBe(device.id);
  for (const device_id of [undefined, ['x'], '', device.id, toPublicId('key', device.id), '\0']) {
    expect(() => readDeviceId({ device_id })).toThrow(
      expect.objectContaining({ status: 404, param: 'device_id' }) as Error,
    );
  }
});
