import { deviceList, deviceRecord, type DeviceRecord } from '@farebox/api';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { deviceHolder, nowSeconds, type DeviceHolder } from '../test/holders';

let harness: AccountHarness;
let ada: Customer;
let devices: DeviceHolder;
let laptop: DeviceRecord;

beforeAll(async () => {
  harness = await openAccountHarness();
});
beforeEach(async () => {
  ada = await harness.givenCustomer();
  devices = deviceHolder(harness, ada);
  laptop = await devices.register();
});
afterAll(() => harness.close());

const UNAUTHENTICATED = { status: 401, code: 'authentication_error' } as const;
const isLetIn = async (side: { heartbeat: () => Promise<{ status: number }> }) =>
  (await side.heartbeat()).status === 200;

describe('the session of a device', () => {
  it('lasts at most a month, and is listed with its end', async () => {
    const side = await devices.signIn(laptop.device_id);
    expect(Math.abs(side.expiresAt - (nowSeconds() + 30 * 86_400))).toBeLessThan(30);
    const answer = await ada.send('GET', '/v1/devices');
    expect(deviceList.parse(answer.json).data).toEqual([{ ...laptop, session_expires_at: side.expiresAt }]);
    expect(answer.text).not.toContain(side.sessionToken);
  });

  it('opens everything that a session of the account opens', async () => {
    const side = await devices.signIn(laptop.device_id);
    expect((await side.send('GET', '/v1/billing/balance')).status).toBe(200);
    expect((await side.send('POST', '/v1/api-keys', { body: { name: 'cli' } })).status).toBe(201);
  });

  it('replaces the previous one, which ends at once', async () => {
    const first = await devices.signIn(laptop.device_id);
    expect(await isLetIn(first)).toBe(true);
    const second = await devices.signIn(laptop.device_id);
    expectError(await first.heartbeat(), UNAUTHENTICATED);
    expect(await isLetIn(second)).toBe(true);
    expect((await ada.send('GET', '/v1/devices')).status).toBe(200);
  });

  it('leaves one row behind, however often it is issued', async () => {
    for (let i = 0; i < 3; i++) await devices.signIn(laptop.device_id);
    const { rows } = await harness.pool.query(
      'SELECT revoked_at FROM account_session WHERE account_id = $1 AND device_id IS NOT NULL',
      [ada.accountId],
    );
    expect(rows).toEqual([{ revoked_at: null }]);
  });

  it('is unique, even if several are issued at the same moment', async () => {
    const sides = await Promise.all(Array.from({ length: 5 }, () => devices.signIn(laptop.device_id)));
    const alive = await Promise.all(sides.map(isLetIn));
    expect(alive.filter(Boolean)).toHaveLength(1);
  });

  it('ends with its own device, and with no other', async () => {
    const other = await devices.register();
    const [side, otherSide] = [await devices.signIn(laptop.device_id), await devices.signIn(other.device_id)];
    const revoked = await devices.revoke(laptop.device_id);
    expect(revoked.json).toMatchObject({ status: 'revoked', session_expires_at: null });
    expectError(await side.heartbeat(), UNAUTHENTICATED);
    expectError(await side.send('GET', '/v1/billing/balance'), UNAUTHENTICATED);
    expect(await isLetIn(otherSide)).toBe(true);
  });

  it('does not outlive its device if both coincide', async () => {
    const many = await Promise.all(Array.from({ length: 10 }, () => devices.register()));
    const answers = await Promise.all(
      many.flatMap(({ device_id }) => [
        ada.send('POST', `/v1/devices/${device_id}/session`),
        devices.revoke(device_id),
      ]),
    );
    for (const { status } of answers) expect([200, 201, 400]).toContain(status);
    const { rows } = await harness.pool.query(
      `SELECT s.id FROM account_session s JOIN device d ON d.id = s.device_id
       WHERE d.revoked_at IS NOT NULL AND s.revoked_at IS NULL`,
    );
    expect(rows).toEqual([]);
  });

  it('has no access if the account has none', async () => {
    const side = await devices.signIn(laptop.device_id);
    await harness.pool.query(`UPDATE account SET invite_status = 'suspended' WHERE id = $1`, [ada.accountId]);
    expectError(await side.heartbeat(), { status: 403, code: 'beta_access_required' });
  });
});

describe('POST /v1/devices/heartbeat', () => {
  it('reports when the device was last seen', async () => {
    const side = await devices.signIn(laptop.device_id);
    const before = nowSeconds();
    const answer = await side.heartbeat();
    const record = deviceRecord.parse(answer.json);
    expect([answer.status, record.device_id]).toEqual([200, laptop.device_id]);
    expect(record.last_seen_at).toBeGreaterThanOrEqual(before - 5);

    await harness.pool.query(
      `UPDATE device SET last_seen_at = now() - interval '1 hour' WHERE account_id = $1`,
      [ada.accountId],
    );
    expect(deviceRecord.parse((await side.heartbeat()).json).last_seen_at).toBeGreaterThanOrEqual(before - 5);
  });

  it('is refused for a session without a device', async () => {
    expectError(await ada.send('POST', '/v1/devices/heartbeat'), {
      status: 400,
      code: 'invalid_request_error',
    });
  });
});

describe('a device', () => {
  it('may rename and revoke itself', async () => {
    const self = deviceHolder(harness, await devices.signIn(laptop.device_id));
    expect((await self.rename(laptop.device_id, 'mine')).json).toMatchObject({ name: 'mine' });
    expect((await self.revoke(laptop.device_id)).json).toMatchObject({ status: 'revoked' });
    expectError(await self.revoke(laptop.device_id), UNAUTHENTICATED);
  });

  it('cannot issue a session for itself, or manage another device, whether that exists or not', async () => {
    const other = await devices.register();
    const side = await devices.signIn(laptop.device_id);
    const missing = 'dev_01jd0000000000000000000000';
    const refused = [
      await side.send('POST', '/v1/devices/register', { body: { name: 'x', platform: 'x' } }),
      await side.send('POST', `/v1/devices/${laptop.device_id}/session`),
      await side.send('POST', `/v1/devices/${other.device_id}/session`),
      await side.send('POST', `/v1/devices/${other.device_id}/revoke`),
      await side.send('POST', `/v1/devices/${other.device_id}/rename`, { body: { name: 'x' } }),
      await side.send('POST', `/v1/devices/${missing}/session`),
      await side.send('POST', `/v1/devices/${missing}/revoke`),
    ];
    for (const answer of refused) expectError(answer, UNAUTHENTICATED);
    const { data } = deviceList.parse((await side.send('GET', '/v1/devices')).json);
    expect(data).toEqual([other, { ...laptop, session_expires_at: side.expiresAt }]);
  });
});
