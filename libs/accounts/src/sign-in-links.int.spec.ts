import { createTestDatabase, givenAccount, type GivenAccount, type TestDatabase } from '@farebox/testing';
import { findSession } from './sessions';
import { createLinkToken } from '@farebox/auth';
import { openAccounts } from './open-accounts';
import { createSignInLink, findSignInLink, spendSignInLink } from './sign-in-links';

const VISITOR = { caller: { network: null, userAgent: null }, browserToken: 'browser' };

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const spend = (token: string) => spendSignInLink(openAccounts(db.accountPool), token, VISITOR);

async function givenLink(purpose: 'invite' | 'sign_in', account: GivenAccount = {}) {
  const accountId = await givenAccount(db.pool, account);
  return { accountId, ...(await createSignInLink(accountId, db.workerPool, purpose)) };
}

const age = (accountId: string, by: string): Promise<unknown> =>
  db.pool.query(
    `UPDATE sign_in_link SET created_at = created_at - $2::interval, expires_at = expires_at - $2::interval
     WHERE account_id = $1`,
    [accountId, by],
  );

async function statusOf(accountId: string): Promise<unknown> {
  const { rows } = await db.pool.query<{ status: string }>(
    'SELECT invite_status AS status FROM account WHERE id = $1',
    [accountId],
  );
  return rows[0]?.status;
}

describe('a link', () => {
  it('starts one session of its account', async () => {
    const { accountId, token } = await givenLink('sign_in');
    const signedIn = await spend(token);
    expect(signedIn).toMatchObject({ accountId, inviteStatus: 'active', email: `${accountId}@example.com` });
    expect(await findSession(db.accountPool, signedIn?.sessionToken ?? '')).toMatchObject({ accountId });
    expect(await spend(token)).toBeUndefined();
  });

  it('works for one of fifty concurrent attempts', async () => {
    const { accountId, token } = await givenLink('invite', { inviteStatus: 'invited' });
    const tries = await Promise.all(Array.from({ length: 50 }, () => spend(token)));
    expect(tries.filter((signedIn) => signedIn !== undefined)).toHaveLength(1);
    const { rows } = await db.pool.query('SELECT 1 FROM account_session WHERE account_id = $1', [accountId]);
    expect(rows).toHaveLength(1);
  });

  it('can be looked up without being spent', async () => {
    const { accountId, token } = await givenLink('invite');
    const open = { purpose: 'invite', email: `${accountId}@example.com`, language: null };
    expect(await findSignInLink(db.accountPool, token)).toEqual(open);
    expect(await findSignInLink(db.accountPool, token)).toEqual(open);
    expect(await spend(token)).toBeDefined();
    expect(await findSignInLink(db.accountPool, token)).toBeUndefined();
  });

  it.each([
    ['sign_in', '14 minutes 50 seconds', '15 minutes'],
    ['invite', '6 days 23 hours 59 minutes', '7 days'],
  ] as const)('to %s is valid for its lifetime', async (purpose, almost, over) => {
    const inTime = await givenLink(purpose);
    await age(inTime.accountId, almost);
    expect(await findSignInLink(db.accountPool, inTime.token)).toBeDefined();
    expect(await spend(inTime.token)).toBeDefined();

    const late = await givenLink(purpose);
    await age(late.accountId, over);
    expect(await findSignInLink(db.accountPool, late.token)).toBeUndefined();
    expect(await spend(late.token)).toBeUndefined();
  });

  it('is found neither by an invented nor by a malformed token', async () => {
    for (const text of [createLinkToken(), '', "lt-' OR 1=1 --", `lt-${'a'.repeat(10_000)}`]) {
      expect(await spend(text)).toBeUndefined();
      expect(await findSignInLink(db.accountPool, text)).toBeUndefined();
    }
  });

  it('is stored as a hash', async () => {
    const { accountId, token } = await givenLink('sign_in');
    const { rows } = await db.pool.query<{ row: string }>(
      'SELECT l::text AS row FROM sign_in_link l WHERE account_id = $1',
      [accountId],
    );
    expect(rows[0]?.row).not.toContain(token.slice('lt-'.length));
  });
});

describe('the invite status', () => {
  it.each([
    ['invited', 'active'],
    ['active', 'active'],
    ['suspended', 'suspended'],
    ['none', 'none'],
  ] as const)('of an account that is %s is %s after a sign-in', async (before, after) => {
    for (const purpose of ['invite', 'sign_in'] as const) {
      const { accountId, token } = await givenLink(purpose, { inviteStatus: before });
      expect(await spend(token)).toMatchObject({ inviteStatus: after });
      expect(await statusOf(accountId)).toBe(after);
    }
  });

  it('does not restore access suspended after the invite', async () => {
    const { accountId, token } = await givenLink('invite', { inviteStatus: 'invited' });
    await db.pool.query(`UPDATE account SET invite_status = 'suspended' WHERE id = $1`, [accountId]);
    expect(await spend(token)).toMatchObject({ inviteStatus: 'suspended' });
  });
});

it('a sign-in ends the other invites of the account, and no other link', async () => {
  const { accountId, token } = await givenLink('invite', { inviteStatus: 'invited' });
  const otherInvite = await createSignInLink(accountId, db.workerPool, 'invite');
  const signIn = await createSignInLink(accountId, db.workerPool, 'sign_in');
  const foreign = await givenLink('invite');
  await spend(token);
  expect(await spend(otherInvite.token)).toBeUndefined();
  expect(await spend(signIn.token)).toBeDefined();
  expect(await spend(foreign.token)).toBeDefined();
});
