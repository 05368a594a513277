import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { createSession, findSession } from './sessions';
import { takeAttempt } from './credential-events';
import { purgeSignIns } from './sign-in-links';
import { openAccounts } from './open-accounts';
import { createSignInLink, spendSignInLink } from './sign-in-links';

const VISITOR = { caller: { network: null, userAgent: null }, browserToken: 'browser' };

let db: TestDatabase;
let accountId: string;
beforeEach(async () => {
  db = await createTestDatabase();
  accountId = await givenAccount(db.pool);
});
afterEach(() => db.drop());

const forget = (): Promise<number> => purgeSignIns(db.workerPool);
const rowsOf = async (table: string): Promise<number> =>
  (await db.pool.query(`SELECT 1 FROM ${table}`)).rowCount ?? 0;

it('links are deleted a day after their end, used or not', async () => {
  const live = await createSignInLink(accountId, db.workerPool, 'sign_in');
  const { token } = await createSignInLink(accountId, db.workerPool, 'invite');
  await db.pool.query(`UPDATE sign_in_link SET created_at = created_at - interval '8 days',
    expires_at = expires_at - interval '7 days 23 hours 59 minutes' WHERE purpose = 'invite'`);
  expect(await forget()).toBe(0);
  await db.pool.query(
    `UPDATE sign_in_link SET expires_at = expires_at - interval '1 minute' WHERE purpose = 'invite'`,
  );
  expect(await forget()).toBe(1);
  expect(await spendSignInLink(openAccounts(db.accountPool), token, VISITOR)).toBeUndefined();
  expect(await spendSignInLink(openAccounts(db.accountPool), live.token, VISITOR)).toBeDefined();
});

it('a throttle is deleted once its attempts are restored, so that deleting it grants none', async () => {
  const subject = { what: 'link', who: 'ada' };
  const limit = { burst: 1, everyMs: 60_000 };
  expect(await takeAttempt(db.accountPool, subject, limit)).toBe(true);
  expect(await forget()).toBe(0);
  expect(await takeAttempt(db.accountPool, subject, limit)).toBe(false);
  await db.pool.query(`UPDATE sign_in_throttle SET recovered_at = recovered_at - interval '1 minute'`);
  expect(await forget()).toBe(1);
  expect(await rowsOf('sign_in_throttle')).toBe(0);
});

it.each(['revoked_at', 'expires_at', 'idle_expires_at'])(
  'a session is deleted thirty days after its %s',
  async (ending) => {
    const live = await createSession(accountId, db.accountPool);
    const ended = await createSession(accountId, db.accountPool);
    const found = await findSession(db.accountPool, ended.token);
    const endAt = (ago: string): Promise<unknown> =>
      db.pool.query(`UPDATE account_session SET ${ending} = now() - $2::interval WHERE id = $1`, [
        found?.sessionId,
        ago,
      ]);
    await endAt('29 days 23 hours 59 minutes');
    expect(await forget()).toBe(0);
    await endAt('30 days');
    expect(await forget()).toBe(1);
    expect(await findSession(db.accountPool, live.token)).toBeDefined();
  },
);

it('one call deletes many, and two can run at once', async () => {
  await db.pool.query(
    `INSERT INTO sign_in_throttle SELECT sha256(n::text::bytea), now() - interval '1 second' FROM generate_series(1, 2500) n`,
  );
  const counts = await Promise.all([forget(), forget()]);
  await forget();
  expect(await rowsOf('sign_in_throttle')).toBe(0);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2_500);
});
