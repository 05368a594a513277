import { uuidV7 } from '@farebox/ids';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { verifyLedger } from './verify';

let db: TestDatabase;
let accountId: string;
beforeAll(async () => {
  db = await createTestDatabase();
  accountId = await givenAccount(db.pool, { balanceNano: 100n });
});
afterAll(async () => {
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

const insertEntry = (
  seq: number,
  kind: string,
  from: string,
  to: string,
  amount: number,
  after: number,
): string =>
  `INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano, created_at)
   VALUES ('${uuidV7()}', '${accountId}', ${String(seq)}, '${kind}', '${from}', '${to}', ${String(amount)}, ${String(after)}, now())`;

describe('the database itself refuses', () => {
  it.each([
    ['a negative balance', () => `UPDATE account_funds SET balance_nano = -1`, 'available_not_negative'],
    ['more held than there is', () => `UPDATE account_funds SET held_nano = 101`, 'available_not_negative'],
    ['less than nothing held', () => `UPDATE account_funds SET held_nano = -1`, 'held_not_negative'],
    ['to change an entry', () => `UPDATE ledger_entry SET amount_nano = 1`, 'append-only'],
    ['to delete an entry', () => `DELETE FROM ledger_entry`, 'append-only'],
    ['to empty the journal', () => `TRUNCATE ledger_entry`, 'append-only'],
    ['an entry of nothing', () => insertEntry(2, 'charge', 'customer', 'revenue', 0, 100), 'amount_positive'],
    [
      'an entry between the wrong books',
      () => insertEntry(2, 'charge', 'funding', 'customer', 1, 101),
      'books_fit_kind',
    ],
    [
      'an entry from a book to itself',
      () => insertEntry(2, 'adjustment', 'customer', 'customer', 1, 100),
      'books_fit_kind',
    ],
    ['a gap', () => insertEntry(3, 'charge', 'customer', 'revenue', 1, 99), 'do not continue its ledger'],
    [
      'a fork',
      () => insertEntry(1, 'top_up', 'funding', 'customer', 1, 1),
      'ledger_entry_account_id_seq_key',
    ],
    [
      'a balance that does not follow',
      () => insertEntry(2, 'charge', 'customer', 'revenue', 1, 98),
      'do not continue its ledger',
    ],
    [
      'an entry that the balance does not know',
      () => insertEntry(2, 'charge', 'customer', 'revenue', 1, 99),
      'do not continue its ledger',
    ],
    [
      'a refund of nothing',
      () => insertEntry(2, 'refund', 'revenue', 'customer', 1, 101),
      'refund_names_its_charge',
    ],
    [
      'a top-up of nothing',
      () => `SELECT ledger_top_up('${uuidV7()}', '${accountId}', 0, 'manual', 'zero')`,
      'amount_positive',
    ],
  ])('%s', async (_name, sql, constraint) => {
    await expect(db.pool.query(sql())).rejects.toThrow(constraint);
  });
});

describe('the check of the books finds', () => {
  it.each([
    [
      'a balance',
      'UPDATE account_funds SET balance_nano = balance_nano + 1',
      'the balance of an account is the sum of its entries',
    ],
    [
      'what is held',
      'UPDATE account_funds SET held_nano = held_nano + 1',
      'what an account has held is the sum of its holds',
    ],
    [
      'a funding record',
      'UPDATE funding SET amount_nano = amount_nano + 1',
      'a top-up and its funding record belong together',
    ],
    [
      'a day',
      `INSERT INTO account_day (account_id, day, requests) SELECT account_id, '2026-01-01', 1 FROM account_funds`,
      "an account's day counts what was admitted on it",
    ],
  ])('%s that was changed by hand', async (_name, sql, check) => {
    const client = await db.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(sql);
      // The check runs in a transaction of its own; here it is to see what is not committed.
      const asPool = { connect: () => Promise.resolve({ query: query(client), release: () => undefined }) };
      const { ok, differences } = await verifyLedger(asPool as unknown as TestDatabase['pool']);
      expect(ok).toBe(false);
      expect(differences.map((difference) => difference.check)).toContain(check);
      expect(differences.find((difference) => difference.check === check)?.accountId).toBe(accountId);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});

function query(client: { query: (sql: string) => Promise<unknown> }): (sql: string) => Promise<unknown> {
  return (sql) => (/^(BEGIN|ROLLBACK)/.test(sql) ? Promise.resolve({ rows: [] }) : client.query(sql));
}
