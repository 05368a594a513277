import { join } from 'node:path';
import { createTestDatabase, reinstallSqlFunctions, type TestDatabase } from '@farebox/testing';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

it('npm run migrate installs the content of the files', async () => {
  const folder = join(__dirname, '../sql');
  const { installed, left, fromFiles } = await reinstallSqlFunctions(db.pool, 'ledger_', folder);
  expect(Object.keys(installed).length).toBeGreaterThan(0);
  expect(left).toEqual({});
  expect(fromFiles).toEqual(installed);
});
