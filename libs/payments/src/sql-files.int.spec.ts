import { join } from 'node:path';
import { createTestDatabase, reinstallSqlFunctions, type TestDatabase } from '@farebox/testing';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

it('what npm run migrate installs is what the files say', async () => {
  const folder = join(__dirname, '../sql');
  const { installed, left, fromFiles } = await reinstallSqlFunctions(db.pool, 'payment_', folder);
  expect(Object.keys(installed)).toHaveLength(4);
  expect(left).toEqual({});
  expect(fromFiles).toEqual(installed);
});
