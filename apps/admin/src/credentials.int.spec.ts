import { identifyApiKey, findSession } from '@farebox/accounts';
import { createKeyHasher } from '@farebox/auth';
import { fromPublicId } from '@farebox/ids';
import { openAdminStand, runInside, type AdminStand } from './admin.stand';

let stand: AdminStand;
let accountId: string;

beforeAll(async () => {
  stand = await openAdminStand();
  const created = await stand.adminJson('account', 'create', '--email', 'ada@example.com', '--name', 'Ada');
  accountId = String(created.account_id);
});
afterAll(() => stand.close());

const nobody = 'acct_01jd0000000000000000000000';

describe('session create', () => {
  it('starts a session that identifies the account', async () => {
    const answer = await stand.adminJson('session', 'create', accountId);
    expect(answer).toEqual({ session_token: expect.stringMatching(/^st-[A-Za-z0-9_-]{43}$/) as string });
    expect(await findSession(stand.pool, String(answer.session_token))).toMatchObject({
      accountId: fromPublicId('acct', accountId),
      inviteStatus: 'invited',
    });
  });

  it('knows no account that is not there', async () => {
    const { exitCode, err } = await stand.admin('session', 'create', nobody);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: `There is no account ${nobody}.\n` });
  });
});

describe('key create', () => {
  const hasher = createKeyHasher([{ version: 1, secret: Buffer.alloc(32, 0x5a) }]);

  it('makes a key that identifies the account', async () => {
    const answer = await stand.adminJson('key', 'create', accountId, '--name', 'laptop');
    expect(answer).toEqual({
      key: expect.stringMatching(/^ak-[0-9A-Za-z]{38}$/) as string,
      key_public_id: expect.stringMatching(/^key_[0-9a-z]{26}$/) as string,
    });
    expect(await identifyApiKey(stand.pool, hasher, String(answer.key))).toMatchObject({
      apiKeyId: fromPublicId('key', String(answer.key_public_id)),
      accountId: fromPublicId('acct', accountId),
      status: 'active',
    });
  });

  it('needs a name that the API would take', async () => {
    expect((await stand.admin('key', 'create', accountId)).exitCode).toBe(2);
    expect((await stand.admin('key', 'create', accountId, '--name', 'x'.repeat(101))).exitCode).toBe(2);
  });

  it('needs the peppers, which the other commands do not', async () => {
    const { DATABASE_URL = '' } = stand.environment;
    const args = ['key', 'create', accountId, '--name', 'x'];
    expect(await runInside({ DATABASE_URL }, args)).toEqual({
      exitCode: 1,
      out: '',
      err: 'FAREBOX_KEY_PEPPERS is required but not set.\n',
    });
    expect((await runInside({ DATABASE_URL }, ['account', 'show', accountId])).exitCode).toBe(0);
  });
});
