import { findSession, identifyApiKey } from '@farebox/accounts';
import { createKeyHasher, fromPublicId } from '@farebox/auth';
import { openAdminHarness, runInside, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
let accountId: string;

beforeAll(async () => {
  harness = await openAdminHarness();
  const created = await harness.adminJson('account', 'create', '--email', 'ada@example.com', '--name', 'Ada');
  accountId = String(created.account_id);
});
afterAll(() => harness.close());

const nobody = 'acct_01jd0000000000000000000000';

describe('session create', () => {
  it('starts a session that identifies the account', async () => {
    const answer = await harness.adminJson('session', 'create', accountId);
    expect(answer).toEqual({ session_token: expect.stringMatching(/^st-[A-Za-z0-9_-]{43}$/) as string });
    expect(await findSession(harness.pool, String(answer.session_token))).toMatchObject({
      accountId: fromPublicId('acct', accountId),
      inviteStatus: 'invited',
    });
  });

  it('reports an unknown account', async () => {
    const { exitCode, err } = await harness.admin('session', 'create', nobody);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: `There is no account ${nobody}.\n` });
  });
});

describe('key create', () => {
  const hasher = createKeyHasher([{ version: 1, secret: Buffer.alloc(32, 0x5a) }]);

  it('creates a key that identifies the account', async () => {
    const answer = await harness.adminJson('key', 'create', accountId, '--name', 'laptop');
    expect(answer).toEqual({
      key: expect.stringMatching(/^ak-[0-9A-Za-z]{38}$/) as string,
      key_public_id: expect.stringMatching(/^key_[0-9a-z]{26}$/) as string,
    });
    expect(await identifyApiKey(harness.pool, hasher, String(answer.key))).toMatchObject({
      apiKeyId: fromPublicId('key', String(answer.key_public_id)),
      accountId: fromPublicId('acct', accountId),
      status: 'active',
    });
  });

  it('requires a name that the API accepts', async () => {
    expect((await harness.admin('key', 'create', accountId)).exitCode).toBe(2);
    expect((await harness.admin('key', 'create', accountId, '--name', 'x'.repeat(101))).exitCode).toBe(2);
  });

  it('requires the peppers, unlike the other commands', async () => {
    const { DATABASE_URL = '' } = harness.environment;
    const args = ['key', 'create', accountId, '--name', 'x'];
    expect(await runInside({ DATABASE_URL }, args)).toEqual({
      exitCode: 1,
      out: '',
      err: 'FAREBOX_KEY_PEPPERS is required but not set.\n',
    });
    expect((await runInside({ DATABASE_URL }, ['account', 'show', accountId])).exitCode).toBe(0);
  });
});
