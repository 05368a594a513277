import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { findInvoice, issueInvoices, listInvoices } from './invoices';

let db: TestDatabase;
let accountId: string;
beforeAll(async () => {
  db = await createTestDatabase();
  accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  await givenPastCharge(db.pool, { accountId, apiKeyId, at: new Date('2026-02-01T00:00:00Z') });
  await issueInvoices(db.pool, '2026-02-01');
});
afterAll(() => db.drop());

describe('an invoice cannot be changed, even by the owner of the database:', () => {
  it.each([
    ['cannot be changed', 'UPDATE invoice SET total_nano = total_nano'],
    ['cannot be deleted', 'DELETE FROM invoice'],
    ['cannot be truncated', 'TRUNCATE invoice CASCADE'],
    ['cannot have a line changed', 'UPDATE invoice_line SET model_id = model_id'],
    ['cannot have a line deleted', 'DELETE FROM invoice_line'],
    ['cannot have its lines truncated', 'TRUNCATE invoice_line'],
    [
      'cannot get another line',
      `INSERT INTO invoice_line (account_id, month, position, kind, model_id, requests, prompt_tokens, completion_tokens, amount_nano)
       SELECT account_id, month, 2, kind, model_id, 1, 1, 1, 1 FROM invoice_line`,
    ],
    ['cannot lose its number', 'DELETE FROM invoice_year'],
  ])('%s', async (_, sql) => {
    await expect(db.pool.query(sql)).rejects.toMatchObject({ code: expect.stringMatching(/^23/) as string });
  });
});

it('is visible only to its account', async () => {
  const other = await givenAccount(db.pool);
  expect(await findInvoice(db.accountPool, accountId, 'INV-2026-000001')).toMatchObject({ totalNano: 100n });
  expect(await findInvoice(db.accountPool, other, 'INV-2026-000001')).toBeUndefined();
  expect(await listInvoices(db.accountPool, other, { limit: 10 })).toEqual([]);
  expect(await listInvoices(db.accountPool, other, { limit: 10, afterNumber: 'INV-2026-000001' })).toEqual(
    [],
  );
});
