import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  givenPastRefund,
  type TestDatabase,
} from '@farebox/testing';
import { findInvoice, issueInvoices, listInvoices } from './invoices';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

/** The 15th of the UTC month this many months ago. */
function monthsAgo(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15));
}
const nameOf = (month: Date): string => `${month.toISOString().slice(0, 7)}-01`;

it('an invoice has the refund of a charge past its retention, with its model and tokens', async () => {
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  const charge = (modelId: string) =>
    givenPastCharge(db.pool, { accountId, apiKeyId, at: monthsAgo(5), modelId, promptTokens: 3 });
  const [chargeId, forgottenId] = [await charge('large'), await charge('small')];
  await givenPastRefund(db.pool, { accountId, chargeId, at: monthsAgo(2) });

  // Record that the books were checked.
  await db.pool.query('INSERT INTO ledger_checkpoint VALUES (1, now(), now(), now())');
  await db.workerPool.query('SELECT ledger_purge_requests(2, NULL, 100)');
  const { rows } = await db.pool.query('SELECT id FROM usage_record');
  expect(rows).toEqual([{ id: chargeId }]);
  expect(rows).not.toContainEqual({ id: forgottenId });

  expect(await issueInvoices(db.workerPool, nameOf(monthsAgo(2)))).toEqual({ issued: 1, postponed: 0 });
  // The invoice of the charges' month too: it is made from the hourly counts, which are kept.
  expect(await issueInvoices(db.workerPool, nameOf(monthsAgo(5)))).toEqual({ issued: 1, postponed: 0 });
  const lines = [];
  for (const { number } of await listInvoices(db.accountPool, accountId, { limit: 10 })) {
    lines.push((await findInvoice(db.accountPool, accountId, number))?.lines);
  }
  expect(lines).toMatchObject([
    [{ kind: 'refund', modelId: 'large', promptTokens: 3n, amountNano: -100n }],
    [
      { kind: 'usage', modelId: 'large', amountNano: 100n },
      { kind: 'usage', modelId: 'small', amountNano: 100n },
    ],
  ]);
});
