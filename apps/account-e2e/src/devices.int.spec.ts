import { deviceList, deviceRecord } from '@farebox/api';
import { uuidV7 } from '@farebox/auth';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { deviceHolder, nowSeconds, type DeviceHolder } from '../test/holders';

let harness: AccountHarness;
let ada: Customer;
let devices: DeviceHolder;

beforeAll(async () => {
  harness = await openAccountHarness();
});
beforeEach(async () => {
  ada = await harness.givenCustomer();
  devices = deviceHolder(harness, ada);
});
afterAll(() => harness.close());

const invalid = (param: string | null) => ({ status: 400, code: 'invalid_request_error', param }) as const;
const list = async (query = '') => deviceList.parse((await ada.send('GET', `/v1/devices${query}`)).json);
const foreignDevice = async () => deviceHolder(harness, await harness.givenCustomer()).register();

describe('GET /v1/devices/{device_id}', () => {
  it('shows a device, to its own session too', async () => {
    const device = await devices.register();
    const path = `/v1/devices/${device.device_id}`;
    expect((await ada.send('GET', path)).json).toEqual(device);
    const side = await devices.signIn(device.device_id);
    expect((await side.send('GET', path)).json).toEqual({ ...device, session_expires_at: side.expiresAt });
    await devices.revoke(device.device_id);
    expect((await ada.send('GET', path)).json).toMatchObject({ status: 'revoked', session_expires_at: null });
  });
});

describe('POST /v1/devices/register', () => {
  it('creates a device without a session', async () => {
    const before = nowSeconds();
    const device = await devices.register({ name: ' Ada’s laptop 💻 ', platform: 'linux-x64' });
    expect(device).toMatchObject({
      name: 'Ada’s laptop 💻',
      platform: 'linux-x64',
      status: 'active',
      last_seen_at: null,
      session_expires_at: null,
      revoked_at: null,
    });
    expect(device.created_at).toBeGreaterThanOrEqual(before - 5);
    expect((await list()).data).toEqual([device]);
  });

  it.each<[string, object, string]>([
    ['no name', { platform: 'x' }, 'name'],
    ['no platform', { name: 'x' }, 'platform'],
    ['a name of 101 characters', { name: 'x'.repeat(101), platform: 'x' }, 'name'],
    ['a platform of 65 characters', { name: 'x', platform: 'x'.repeat(65) }, 'platform'],
    ['an unknown field', { name: 'x', platform: 'x', device_id: 'dev_1' }, 'device_id'],
  ])('refuses %s', async (_, body, param) => {
    expectError(await ada.send('POST', '/v1/devices/register', { body }), invalid(param));
    expect((await list()).data).toEqual([]);
  });

  const insertDevices = (count: number, columns: string): Promise<unknown> =>
    harness.pool.query(
      `INSERT INTO device (id, account_id, name, platform, created_at, revoked_at)
       SELECT id, $1, 'bulk', 'x', ${columns} FROM unnest($2::uuid[]) AS id`,
      [ada.accountId, Array.from({ length: count }, uuidV7)],
    );

  it('stops at a hundred live devices', async () => {
    await insertDevices(99, 'now(), NULL');
    const last = await devices.register();
    const body = { name: 'one too many', platform: 'x' };
    expectError(await ada.send('POST', '/v1/devices/register', { body }), invalid(null));
    await devices.revoke(last.device_id);
    await devices.register();
  });

  it('stops at a thousand devices per day, including revoked ones, and says how long to wait', async () => {
    await insertDevices(1_000, `now() - interval '24 hours 1 second', now()`);
    await devices.register();
    await insertDevices(999, `now() - interval '23 hours', now()`);
    const answer = await ada.send('POST', '/v1/devices/register', { body: { name: 'x', platform: 'x' } });
    expect([answer.status, answer.json]).toMatchObject([429, { error: { code: 'rate_limit_error' } }]);
    expect(answer.headers['x-should-retry']).toBe('false');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(86_400);
  });
});

describe('GET /v1/devices', () => {
  it("lists the account's own devices, newest first, including revoked ones", async () => {
    await foreignDevice();
    const [a, b] = [await devices.register(), await devices.register()];
    const revoked = deviceRecord.parse((await devices.revoke(a.device_id)).json);
    expect((await list()).data).toEqual([b, revoked]);
  });

  it('is read page by page, even while devices are added', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await devices.register()).device_id);
    const first = await list('?limit=2');
    expect(first).toMatchObject({ first_id: ids[0], last_id: ids[1], has_more: true });
    await devices.register();
    const second = await list(`?limit=2&after=${String(first.last_id)}`);
    expect(second).toMatchObject({ first_id: ids[2], last_id: ids[2], has_more: false });
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=-1', 'limit'],
    ['?limit=101', 'limit'],
    ['?limit=1000000000', 'limit'],
    ['?limit=[]', 'limit'],
    ['?limit[]=1', 'limit[]'],
    ['?limit=1&limit=2', 'limit'],
    ['?after=dev_tampered', 'after'],
    ['?after=key_01jd0000000000000000000000', 'after'],
    ['?after=dev_01jd0000000000000000000000', 'after'],
    ['?after=%00', 'after'],
    ['?status=active', 'status'],
  ])('refuses %s', async (query, param) => {
    expectError(await ada.send('GET', `/v1/devices${query}`), invalid(param));
  });

  it("refuses the id of another account's device as cursor", async () => {
    const { device_id } = await foreignDevice();
    expectError(await ada.send('GET', `/v1/devices?after=${device_id}`), invalid('after'));
  });
});

describe('POST /v1/devices/{device_id}/rename', () => {
  it('changes only the name', async () => {
    const device = await devices.register();
    const answer = await devices.rename(device.device_id, ' desktop ');
    expect([answer.status, deviceRecord.parse(answer.json)]).toEqual([200, { ...device, name: 'desktop' }]);
    expect((await list()).data).toEqual([{ ...device, name: 'desktop' }]);
  });

  it('refuses an invalid name, and another field', async () => {
    const device = await devices.register();
    expectError(await devices.rename(device.device_id, '\n'), invalid('name'));
    const body = { name: 'x', platform: 'y' };
    const path = `/v1/devices/${device.device_id}/rename`;
    expectError(await ada.send('POST', path, { body }), invalid('platform'));
    expect((await list()).data).toEqual([device]);
  });
});

describe('POST /v1/devices/{device_id}/revoke', () => {
  it('revokes the device, and returns the same when repeated', async () => {
    const device = await devices.register();
    const first = await devices.revoke(device.device_id);
    expect([first.status, deviceRecord.parse(first.json)]).toEqual([
      200,
      { ...device, status: 'revoked', revoked_at: expect.any(Number) as number },
    ]);
    const second = await devices.revoke(device.device_id);
    expect([second.status, second.text]).toEqual([200, first.text]);
  });

  it('leaves a device that cannot be renamed or get a session', async () => {
    const device = await devices.register();
    const revoked = deviceRecord.parse((await devices.revoke(device.device_id)).json);
    expectError(await devices.rename(device.device_id, 'x'), invalid('device_id'));
    expectError(await ada.send('POST', `/v1/devices/${device.device_id}/session`), invalid('device_id'));
    expect((await list()).data).toEqual([revoked]);
  });
});

describe('a device that does not exist', () => {
  it('gets the same response, byte for byte, whether the id is missing, foreign or malformed', async () => {
    const { device_id } = await foreignDevice();
    const ids = [
      device_id,
      'dev_01jd0000000000000000000000',
      'key_01jd0000000000000000000000',
      'dev_',
      'x',
      'register',
      '%00',
      '%F0%9F%94%91',
      "dev_'%20OR%201=1--",
      device_id.toUpperCase(),
      'd'.repeat(8_000),
    ];
    const texts = new Set<string>();
    for (const action of ['session', 'rename', 'revoke']) {
      for (const id of ids) {
        const body = action === 'rename' ? { body: { name: 'mine' } } : {};
        const answer = await ada.send('POST', `/v1/devices/${id}/${action}`, body);
        expectError(answer, { status: 404, code: 'invalid_request_error', param: 'device_id' });
        texts.add(answer.text);
      }
    }
    expect(texts.size).toBe(1);
    const { rows } = await harness.pool.query<{ device: object }>(
      `SELECT to_jsonb(d) AS device FROM device d WHERE name <> 'bulk' AND account_id <> $1 ORDER BY id DESC LIMIT 1`,
      [ada.accountId],
    );
    expect(rows[0]?.device).toMatchObject({ name: 'laptop', revoked_at: null });
  });
});
