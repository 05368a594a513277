import { createSession, findSession } from '@farebox/accounts';
import { toPublicId, uuidV7 } from '@farebox/auth';
import { givenAccount, givenApiKey } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

// Lists and ends the keys, sessions and devices of an account.

let harness: AdminHarness;
let accountUuid: string;
let accountId: string;
beforeAll(async () => {
  harness = await openAdminHarness();
});
beforeEach(async () => {
  accountUuid = await givenAccount(harness.pool);
  accountId = toPublicId('acct', accountUuid);
});
afterAll(() => harness.close());

const nobody = 'acct_01jd0000000000000000000000';
const data = async (...args: string[]) =>
  (await harness.adminJson(...args)).data as Record<string, unknown>[];

describe('keys', () => {
  it('are listed with their spending and limits, newest first, in pages', async () => {
    const expiresAt = new Date(Date.now() - 1_000);
    const old = await givenApiKey(harness.pool, accountUuid, { expiresAt });
    const key = await givenApiKey(harness.pool, accountUuid, { monthlySpendLimitNano: 5_000_000_000n });
    await harness.pool.query(
      `INSERT INTO api_key_month (api_key_id, month, spent_nano, held_nano, last_used_at)
       VALUES ($1, date_trunc('month', now(), 'UTC')::date, 7, 0, now()), ($1, '2026-01-01', 100, 0, '2026-01-02')`,
      [key],
    );
    const first = await harness.adminJson('key', 'list', accountId, '--limit', '1');
    expect(first).toMatchObject({ has_more: true, last_id: toPublicId('key', key) });
    expect(first.data).toEqual([
      {
        key_public_id: toPublicId('key', key),
        account_id: accountId,
        name: 'test',
        hint: 'abcd',
        status: 'active',
        created_at: expect.any(Number) as number,
        expires_at: null,
        revoked_at: null,
        last_used_at: expect.any(Number) as number,
        monthly_spend_limit: '5.000000000',
        monthly_spend: '0.000000007',
        allowed_origins: null,
        shows_account_limits: true,
        currency: 'usd',
      },
    ]);
    expect(await data('key', 'list', accountId, '--after', String(first.last_id))).toMatchObject([
      {
        key_public_id: toPublicId('key', old),
        status: 'expired',
        last_used_at: null,
        monthly_spend: '0.000000000',
      },
    ]);
    const { out } = await harness.admin('key', 'list', accountId, '--limit', '1');
    expect(out).toContain(`More: admin key list ${accountId} --limit 1 --after ${toPublicId('key', key)}\n`);
  });

  it('are revoked for good, and stay on the list', async () => {
    const key = toPublicId('key', await givenApiKey(harness.pool, accountUuid));
    const version = 'SELECT version, revoked_at FROM api_key WHERE account_id = $1';
    const revoke = () => harness.adminJson('key', 'revoke', key, '--yes');
    expect(await revoke()).toEqual({ key_public_id: key, account_id: accountId, status: 'revoked' });
    const { rows } = await harness.pool.query(version, [accountUuid]);
    // A gateway that has cached the key notices the change by the version.
    expect(rows).toEqual([{ version: 2, revoked_at: expect.any(Date) as Date }]);
    await revoke();
    expect((await harness.pool.query(version, [accountUuid])).rows).toEqual(rows);
    expect(await data('key', 'list', accountId)).toMatchObject([{ key_public_id: key, status: 'revoked' }]);
    const unknown = 'key_01jd0000000000000000000000';
    expect((await harness.admin('key', 'revoke', unknown, '--yes')).err).toBe(
      `There is no API key ${unknown}.\n`,
    );
  });
});

describe('sessions', () => {
  const start = async (of = accountUuid) => {
    const { token } = await createSession(of, harness.pool);
    const found = await findSession(harness.pool, token);
    return { token, id: toPublicId('sess', found?.sessionId ?? '') };
  };
  const lives = async (token: string) => (await findSession(harness.pool, token)) !== undefined;

  it('are listed and ended, one or all', async () => {
    const [one, two, three] = [await start(), await start(), await start()];
    const foreign = await start(await givenAccount(harness.pool));
    expect((await data('session', 'list', accountId)).map((row) => row.session_id)).toEqual([
      ...[three.id, two.id, one.id],
    ]);
    expect(await harness.adminJson('session', 'revoke', two.id)).toEqual({
      session_id: two.id,
      account_id: accountId,
      revoked: 1,
    });
    expect(await harness.adminJson('session', 'revoke', two.id)).toMatchObject({ revoked: 0 });
    expect(await harness.adminJson('session', 'revoke', '--all-of', accountId)).toEqual({
      account_id: accountId,
      revoked: 2,
      links: 0,
      mails: 0,
    });
    expect(await Promise.all([one, two, three].map(({ token }) => lives(token)))).toEqual([
      false,
      false,
      false,
    ]);
    expect(await lives(foreign.token)).toBe(true);
    expect((await harness.admin('session', 'list', accountId)).out).toBe(
      'The account has no live sessions.\n',
    );
  });

  it('are selected by their id or their account, never both', async () => {
    for (const args of [[], ['sess_01jd0000000000000000000000', '--all-of', accountId], ['sess_1']])
      expect((await harness.admin('session', 'revoke', ...args)).exitCode).toBe(2);
    const unknown = 'sess_01jd0000000000000000000000';
    expect((await harness.admin('session', 'revoke', unknown)).err).toBe(`There is no session ${unknown}.\n`);
  });
});

describe('devices', () => {
  it('are listed and revoked, with their session', async () => {
    const deviceId = uuidV7();
    await harness.pool.query(
      `INSERT INTO device (id, account_id, name, platform) VALUES ($1, $2, 'mine', 'linux')`,
      [...[deviceId, accountUuid]],
    );
    const { token } = await createSession(accountUuid, harness.pool);
    await harness.pool.query('UPDATE account_session SET device_id = $1 WHERE account_id = $2', [
      ...[deviceId, accountUuid],
    ]);
    const id = toPublicId('dev', deviceId);
    expect(await data('device', 'list', accountId)).toMatchObject([
      { device_id: id, name: 'mine', platform: 'linux', status: 'active', last_seen_at: null },
    ]);
    const revoke = () => harness.adminJson('device', 'revoke', id, '--yes');
    expect(await revoke()).toEqual({ device_id: id, account_id: accountId, status: 'revoked' });
    expect(await findSession(harness.pool, token)).toBeUndefined();
    await revoke();
    expect(await data('device', 'list', accountId)).toMatchObject([{ device_id: id, status: 'revoked' }]);
  });
});

it.each(['key', 'session', 'device'])('an unknown %s is reported', async (kind) => {
  expect((await harness.admin(kind, 'list', nobody)).err).toBe(`There is no account ${nobody}.\n`);
});
