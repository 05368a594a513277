import { givenAccount, givenApiKey } from './fixtures';
import { createTestDatabase } from './database';

describe('a test database', () => {
  it('is migrated, empty of accounts, and separate from every other', async () => {
    const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const accountId = await givenAccount(first.pool, { balanceNano: 5n });
    await givenApiKey(first.pool, accountId);
    const count = async (db: typeof first): Promise<unknown> =>
      (await db.pool.query('SELECT count(*)::int AS accounts FROM account')).rows[0];
    expect([await count(first), await count(second)]).toEqual([{ accounts: 1 }, { accounts: 0 }]);
    await Promise.all([first.drop(), second.drop()]);
  });

  it('gives services their own role, which reads everything but cannot change a balance', async () => {
    const db = await createTestDatabase();
    await givenAccount(db.pool, { balanceNano: 5n });
    const balances = 'SELECT balance_nano::int AS balance FROM account_funds';
    expect((await db.accountPool.query(balances)).rows).toEqual([{ balance: 5 }]);
    await expect(db.servicePool.query('UPDATE account_funds SET balance_nano = 6')).rejects.toMatchObject({
      code: '42501',
    });
    await expect(db.accountPool.query('UPDATE account_funds SET balance_nano = 6')).rejects.toMatchObject({
      code: '42501',
    });
    expect(new URL(db.accountUrl).pathname).toBe(new URL(db.url).pathname);
    expect(new URL(db.serviceUrl).pathname).toBe(new URL(db.url).pathname);
    await db.drop();
  });

  it('is gone after dropping it', async () => {
    const kept = await createTestDatabase();
    const dropped = await createTestDatabase();
    const name = new URL(dropped.url).pathname.slice(1);
    await dropped.drop();
    const { rows } = await kept.pool.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    expect(rows).toEqual([]);
    await kept.drop();
  });

  it('explains in one sentence how to run the tests if nothing was prepared', async () => {
    const kept = process.env['FAREBOX_TEST_TEMPLATE'];
    delete process.env['FAREBOX_TEST_TEMPLATE'];
    await expect(createTestDatabase()).rejects.toThrow('run the tests with "npm test"');
    process.env['FAREBOX_TEST_TEMPLATE'] = kept;
  });
});
