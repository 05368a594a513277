import { NotMigratedError } from '@farebox/database';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { assertWorkerRole } from './compose';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

it("accepts the worker's role, and the owner's, which has all rights", async () => {
  await expect(assertWorkerRole(db.workerPool)).resolves.toBeUndefined();
  await expect(assertWorkerRole(db.pool)).resolves.toBeUndefined();
});

it.each(['servicePool', 'accountPool'] as const)('refuses the rights of %s, with a remedy', async (pool) => {
  const refused = assertWorkerRole(db[pool]);
  await expect(refused).rejects.toBeInstanceOf(NotMigratedError);
  await expect(refused).rejects.toThrow('GRANT farebox_worker TO');
});
