import { join } from 'node:path';
import { createTestDatabase, reinstallSqlFunctions, type TestDatabase } from '@farebox/testing';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

it.each(['outbox_', 'mail_'])(
  'the SQL that npm run migrate installs of %s… matches the files',
  async (prefix) => {
    const folder = join(__dirname, '../sql');
    const { installed, left, fromFiles } = await reinstallSqlFunctions(db.pool, prefix, folder);
    expect(Object.keys(installed).length).toBeGreaterThan(0);
    expect(left).toEqual({});
    expect(fromFiles).toEqual(installed);
  },
);
