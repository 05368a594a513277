import { join } from 'node:path';
import { createTestDatabase, reinstallSqlFunctions, type TestDatabase } from '@farebox/testing';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

it('the SQL that npm run migrate installs of webhook_… matches the files', async () => {
  const folder = join(__dirname, '../sql');
  const { installed, left, fromFiles } = await reinstallSqlFunctions(db.pool, 'webhook_', folder);
  expect(Object.keys(installed).length).toBeGreaterThan(0);
  expect(left).toEqual({});
  expect(fromFiles).toEqual(installed);
});
