import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { openAccounts } from './open-accounts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

it('opening the accounts of a pool again leaves nothing behind', async () => {
  const first = openAccounts(db.accountPool);
  await first.prisma.account.count();
  const listeners = db.accountPool.listenerCount('error');
  for (let i = 0; i < 20; i++) expect(await openAccounts(db.accountPool).prisma.account.count()).toBe(0);
  expect(db.accountPool.listenerCount('error')).toBe(listeners);
  expect(openAccounts(db.workerPool).prisma).not.toBe(first.prisma);
});
