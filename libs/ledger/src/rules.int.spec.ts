import { uuidV7 } from '@farebox/auth';
import { USAGE_OUTCOMES } from '@farebox/errors';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { givenSampleBooks, type SampleBooks } from '../test/sample-books';
import { verifyLedger } from './books/verify-ledger';

// All of this is tried as the owner of the tables: nobody with fewer rights gets further.
let db: TestDatabase;
let books: SampleBooks;
beforeAll(async () => {
  db = await createTestDatabase();
  books = await givenSampleBooks(db);
});
afterAll(async () => {
  await books.close();
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

interface RawEntry {
  id?: string;
  /** Relative to the account's newest entry. */
  seqAfterNewest?: number;
  kind?: string;
  from?: string;
  to?: string;
  amountNano?: number;
  /** Relative to the account's balance. */
  balanceChangeNano?: number;
  refundedEntryId?: string;
}

/** A charge of 1 that continues the account's ledger correctly, except for the given expressions. */
function insertEntry(given: RawEntry = {}): string {
  const refunded = given.refundedEntryId === undefined ? 'NULL' : `'${given.refundedEntryId}'`;
  return `
    INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano,
                              refunded_entry_id, created_at)
    SELECT '${given.id ?? uuidV7()}', account_id, last_seq + ${String(given.seqAfterNewest ?? 1)},
           '${given.kind ?? 'charge'}', '${given.from ?? 'customer'}', '${given.to ?? 'revenue'}',
           ${String(given.amountNano ?? 1)}, balance_nano + ${String(given.balanceChangeNano ?? -1)}, ${refunded}, now()
    FROM account_funds WHERE account_id = '${books.accountId}'`;
}

function insertAdjustment(amountNano: number, reference: string): string {
  return `INSERT INTO adjustment (id, account_id, amount_nano, reason, reference, made_by, created_at)
          VALUES ('${uuidV7()}', '${books.accountId}', ${String(amountNano)}, 'none', '${reference}', 'eve', now())`;
}

type Attempt = [name: string, sql: () => string, refusal: string];

const ATTEMPTS: [subject: string, attempts: Attempt[]][] = [
  [
    'of balances',
    [
      ['a negative balance', () => `UPDATE account_funds SET balance_nano = -1`, 'available_not_negative'],
      [
        'more held than there is',
        () => `UPDATE account_funds SET held_nano = balance_nano + 1`,
        'available_not_negative',
      ],
      ['less than nothing held', () => `UPDATE account_funds SET held_nano = -1`, 'held_not_negative'],
      ['a hold of less than nothing', () => `UPDATE hold SET amount_nano = -1`, 'hold_amount_not_negative'],
      [
        'second funds of an account',
        () => `INSERT INTO account_funds (account_id) VALUES ('${books.accountId}')`,
        'account_funds_pkey',
      ],
      [
        'an account without its funds',
        () => `DELETE FROM account WHERE id = '${books.accountId}'`,
        'violates RESTRICT setting of foreign key',
      ],
    ],
  ],

  [
    'of the journal',
    [
      ['to change an entry', () => `UPDATE ledger_entry SET amount_nano = 1`, 'append-only'],
      ['to delete an entry', () => `DELETE FROM ledger_entry`, 'append-only'],
      ['to empty it', () => `TRUNCATE ledger_entry`, 'append-only'],
      ['an entry of nothing', () => insertEntry({ amountNano: 0, balanceChangeNano: 0 }), 'amount_positive'],
      [
        'an entry of less than nothing',
        () => insertEntry({ amountNano: -1, balanceChangeNano: 1 }),
        'amount_positive',
      ],
      [
        'an entry between the wrong books',
        () => insertEntry({ from: 'funding', to: 'customer' }),
        'books_fit_kind',
      ],
      [
        'an entry from a book to itself',
        () => insertEntry({ kind: 'adjustment', to: 'customer' }),
        'books_fit_kind',
      ],
      ['a gap', () => insertEntry({ seqAfterNewest: 2 }), 'do not continue its ledger'],
      ['a fork', () => insertEntry({ seqAfterNewest: 0 }), 'do not continue its ledger'],
      [
        'a balance that does not follow',
        () => insertEntry({ balanceChangeNano: -2 }),
        'do not continue its ledger',
      ],
      ['an entry that the balance does not know', () => insertEntry(), 'do not continue its ledger'],
      ['a second charge of one hold', () => insertEntry({ id: books.chargedId }), 'ledger_entry_pkey'],
      [
        'a refund of nothing',
        () => insertEntry({ kind: 'refund', from: 'revenue', to: 'customer' }),
        'refund_names_its_charge',
      ],
      [
        'a charge that names another one',
        () => insertEntry({ refundedEntryId: books.chargedId }),
        'refund_names_its_charge',
      ],
      [
        'a second refund of one charge',
        () =>
          insertEntry({ kind: 'refund', from: 'revenue', to: 'customer', refundedEntryId: books.refundedId }),
        'do not continue its ledger',
      ],
    ],
  ],

  [
    'of top-ups and adjustments',
    [
      ['to change a top-up', () => `UPDATE funding SET amount_nano = 1`, 'append-only'],
      ['to delete a top-up', () => `DELETE FROM funding`, 'append-only'],
      [
        'a top-up of nothing',
        () => `SELECT ledger_top_up('${uuidV7()}', '${books.accountId}', 0, 'manual', 'zero')`,
        'amount_positive',
      ],
      [
        'a second top-up of one reference',
        () => `INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
             SELECT '${uuidV7()}', account_id, method, reference, amount_nano, now() FROM funding`,
        'funding_reference_key',
      ],
      ['to change an adjustment', () => `UPDATE adjustment SET reason = 'another'`, 'append-only'],
      ['to delete an adjustment', () => `DELETE FROM adjustment`, 'append-only'],
      ['an adjustment of nothing', () => insertAdjustment(0, 'zero'), 'adjustment_amount_not_zero'],
      [
        'a second adjustment of one reference',
        () => insertAdjustment(1, `sample-${books.accountId}`),
        'adjustment_reference_key',
      ],
    ],
  ],
];

describe.each(ATTEMPTS)('the database itself refuses, %s,', (_subject, attempts) => {
  it.each(attempts)('%s', async (_name, sql, refusal) => {
    await expect(db.pool.query(sql())).rejects.toThrow(refusal);
  });
});

it('an outcome of usage has the same name in the database', async () => {
  const { rows } = await db.pool.query('SELECT enum_range(NULL::usage_outcome)::text[] AS outcomes');
  expect(rows).toEqual([{ outcomes: [...USAGE_OUTCOMES] }]);
});
