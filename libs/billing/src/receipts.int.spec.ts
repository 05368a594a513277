import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import fc from 'fast-check';
import { setSeller } from './parties';
import { findReceipt, listReceipts, receiptNumbersOf } from './receipts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

let reference = 0;
async function pay(
  accountId: string,
  amountNano: bigint,
  wire = `wire-${String(++reference)}`,
): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT funding_id AS id FROM ledger_top_up(gen_random_uuid(), $1, $2, 'manual', $3)`,
    [accountId, amountNano, wire],
  );
  return rows[0]?.id ?? '';
}
const receiptsOf = (accountId: string) => listReceipts(db.accountPool, accountId, { limit: 100 });
const YEAR = new Date().getUTCFullYear();
const numbered = (sequence: number): string => `REC-${String(YEAR)}-${String(sequence).padStart(6, '0')}`;

it('every top-up has one receipt, with the same amount, method and time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.bigInt({ min: 1n, max: 10n ** 13n }), { maxLength: 5 }), async (amounts) => {
      const accountId = await givenAccount(db.pool);
      for (const amount of amounts) await pay(accountId, amount);
      const { rows } = await db.pool.query<{ id: string; amount: string; at: Date }>(
        `SELECT id, amount_nano::text AS amount, created_at AS at FROM ledger_entry
         WHERE account_id = $1 AND kind = 'top_up' ORDER BY seq DESC`,
        [accountId],
      );
      const receipts = await receiptsOf(accountId);
      expect(
        receipts.map(({ fundingId: id, amountNano, paidAt: at }) => ({ id, amount: String(amountNano), at })),
      ).toEqual(rows);
    }),
    { numRuns: 20 },
  );
});

it('a repeated top-up has no second receipt', async () => {
  const accountId = await givenAccount(db.pool);
  for (let i = 0; i < 2; i++) await pay(accountId, 5n, 'once');
  expect(await receiptsOf(accountId)).toHaveLength(1);
});

it('numbers have no gap, also if top-ups coincide and one is rolled back', async () => {
  const accountIds = await Promise.all(Array.from({ length: 8 }, () => givenAccount(db.pool)));
  const client = await db.pool.connect();
  await client.query('BEGIN');
  await client.query(`SELECT ledger_top_up(gen_random_uuid(), $1, 1, 'manual', 'undone')`, [accountIds[0]]);
  const paying = Promise.all(accountIds.slice(1).map((accountId) => pay(accountId, 5n)));
  await client.query('ROLLBACK');
  client.release();
  await paying;
  const numbers = (await Promise.all(accountIds.map(receiptsOf))).flat().map(({ number }) => number);
  expect(numbers.sort()).toEqual(Array.from({ length: 7 }, (_, i) => numbered(i + 1)));
});

it('a receipt keeps the details of buyer and seller of its time, and cannot be changed', async () => {
  const accountId = await givenAccount(db.pool);
  const seller = { legal_name: 'Acme', address: null, country: 'DE', tax_id: null, billing_email: null };
  await setSeller(db.pool, seller);
  const set = (name: string) =>
    db.accountPool.query(
      `INSERT INTO billing_details (account_id, legal_name) VALUES ($1, $2)
       ON CONFLICT (account_id) DO UPDATE SET legal_name = excluded.legal_name`,
      [accountId, name],
    );
  await set('Engines Ltd');
  await pay(accountId, 5n);
  await set('Other Ltd');
  await setSeller(db.pool, { ...seller, legal_name: 'Successor' });
  await db.pool.query(`UPDATE account SET name = 'Countess'`);
  expect(await findReceipt(db.accountPool, accountId, numbered(1))).toMatchObject({
    accountName: 'Ada',
    buyer: { legal_name: 'Engines Ltd' },
    seller,
  });
  for (const sql of ['UPDATE receipt SET year = 1', 'DELETE FROM receipt', 'DELETE FROM receipt_year'])
    await expect(db.pool.query(sql)).rejects.toMatchObject({ code: '23001' });
});

it('is visible only to its account', async () => {
  const [ada, eve] = [await givenAccount(db.pool), await givenAccount(db.pool)];
  const fundingId = await pay(ada, 5n);
  expect(await findReceipt(db.accountPool, eve, numbered(1))).toBeUndefined();
  expect(await listReceipts(db.accountPool, eve, { limit: 5 })).toEqual([]);
  expect(await listReceipts(db.accountPool, eve, { limit: 5, afterNumber: numbered(1) })).toEqual([]);
  expect([...(await receiptNumbersOf(db.accountPool, eve, [fundingId])).keys()]).toEqual([]);
  expect([...(await receiptNumbersOf(db.accountPool, ada, [fundingId]))]).toEqual([[fundingId, numbered(1)]]);
});
