import { join } from 'node:path';
import { createTestDatabase, reinstallSqlFunctions, type TestDatabase } from '@farebox/testing';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const folder = join(__dirname, '../sql');

it('the SQL that npm run migrate installs for invoices matches the files', async () => {
  const { installed, left, fromFiles } = await reinstallSqlFunctions(db.pool, 'invoice_', folder);
  expect(Object.keys(installed)).toEqual(['invoice_issue(date)', 'invoice_number(integer,integer)']);
  expect(left).toEqual({});
  expect(fromFiles).toEqual(installed);
});

it.each([
  ['seller and buyer', 'billing_', 2],
  ['receipts', 'receipt_', 1],
  ['credit notes', 'credit_note_', 2],
  ['payments and cards', 'payment_', 10],
  ['automatic top-ups', 'top_up_', 11],
  ['vouchers', 'voucher_', 1],
  ['disputes', 'dispute_', 4],
])('the SQL that npm run migrate installs for %s matches the files', async (_, prefix, count) => {
  const { installed, left, fromFiles } = await reinstallSqlFunctions(db.pool, prefix, folder);
  expect(Object.keys(installed)).toHaveLength(count);
  expect(left).toEqual({});
  expect(fromFiles).toEqual(installed);
});
