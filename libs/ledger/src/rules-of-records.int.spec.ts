import { uuidV7 } from '@farebox/auth';
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

/** A copy of the charged request's row, except for the given expressions. */
function insertUsage(columns: Record<string, string>): string {
  const names = Object.keys(columns).join(', ');
  return `INSERT INTO usage_record
          SELECT (jsonb_populate_record(u, to_jsonb(given))).*
          FROM usage_record u, (SELECT ${Object.values(columns).join(', ')}) AS given(${names})
          WHERE u.id = '${books.chargedId}'`;
}

const A_PRICE = `
  INSERT INTO model (id, owned_by, context_window, max_output_tokens, visibility) VALUES ('m', 'o', 1, 1, 'public');
  INSERT INTO price_version (id, model_id, input_price_pico, output_price_pico) VALUES ('${uuidV7()}', 'm', 1000, 2000)`;

type Attempt = [name: string, sql: () => string, refusal: string];

const ATTEMPTS: [subject: string, attempts: Attempt[]][] = [
  [
    'of usage',
    [
      ['to change a record', () => `UPDATE usage_record SET cost_nano = 0`, 'append-only'],
      ['a second record of one request', () => insertUsage({ cost_nano: '1' }), 'usage_record_pkey'],
      [
        'a negative cost',
        () => insertUsage({ id: `'${uuidV7()}'`, cost_nano: '-1' }),
        'usage_record_counts_not_negative',
      ],
      [
        'negative tokens',
        () => insertUsage({ id: `'${uuidV7()}'`, completion_tokens: '-1' }),
        'usage_record_counts_not_negative',
      ],
      ...['prompt_tokens', 'cached_tokens', 'cache_write_tokens', 'reasoning_tokens', 'images'].map(
        (column): Attempt => [
          `less than no ${column}`,
          () => insertUsage({ id: `'${uuidV7()}'`, [column]: '-1' }),
          'usage_record_counts_not_negative',
        ],
      ),
      [
        'a negative count of a day',
        () => `UPDATE account_day SET requests = -1`,
        'account_day_counts_not_negative',
      ],
      [
        'a day with less than nothing held',
        () => `UPDATE account_day SET held_nano = -1`,
        'account_day_counts_not_negative',
      ],
      [
        'a month with less than nothing spent',
        () => `UPDATE api_key_month SET spent_nano = -1`,
        'api_key_month_counts_not_negative',
      ],
      [
        'a month with less than nothing held',
        () => `UPDATE api_key_month SET held_nano = -1`,
        'api_key_month_counts_not_negative',
      ],
      [
        'a day with less than nothing spent',
        () => `UPDATE account_day SET spent_nano = -1`,
        'account_day_counts_not_negative',
      ],
    ],
  ],

  [
    'of reviews',
    [
      ['to delete one', () => `DELETE FROM billing_review`, 'append-only'],
      [
        'a second resolution',
        () => `UPDATE billing_review SET state = 'waived' WHERE id = '${books.chargedReviewId}'`,
        'was resolved before',
      ],
      [
        'to open one again',
        () => `UPDATE billing_review SET state = 'open', resolved_at = NULL, resolved_by = NULL
             WHERE id = '${books.chargedReviewId}'`,
        'was resolved before',
      ],
      [
        'a second one of the same request',
        () => `INSERT INTO billing_review SELECT * FROM billing_review WHERE id = '${books.inReviewId}'`,
        'billing_review_pkey',
      ],
      [
        'a resolution by nobody',
        () => `UPDATE billing_review SET state = 'waived', resolved_at = now() WHERE state = 'open'`,
        'resolution_is_whole',
      ],
      [
        'a resolution at no time',
        () => `UPDATE billing_review SET state = 'charged', resolved_by = 'eve' WHERE state = 'open'`,
        'resolution_is_whole',
      ],
      [
        'a reserve over its hold',
        () => `UPDATE billing_review SET reserved_nano = held_nano + 1 WHERE state = 'open'`,
        'reserve_within_hold',
      ],
      [
        'a reserve of less than nothing',
        () => `UPDATE billing_review SET reserved_nano = -1 WHERE state = 'open'`,
        'reserve_within_hold',
      ],
    ],
  ],

  [
    'of claims, prices and checkpoints',
    [
      [
        'a claim that is answered without an answer',
        () => `UPDATE idempotency_claim SET answer = NULL WHERE state = 'answered'`,
        'answer_fits_state',
      ],
      [
        'a claim that is under way with an answer',
        () => `UPDATE idempotency_claim SET answer = 'x' WHERE state = 'in_flight'`,
        'answer_fits_state',
      ],
      [
        'a second claim of one key',
        () => `INSERT INTO idempotency_claim SELECT * FROM idempotency_claim`,
        'idempotency_claim_pkey',
      ],
      [
        'to change a price',
        () => `${A_PRICE}; UPDATE price_version SET output_price_pico = 0`,
        'append-only',
      ],
      ['to delete a price', () => `${A_PRICE}; DELETE FROM price_version`, 'append-only'],
      ['a price of less than nothing', () => A_PRICE.replace('2000', '-1'), 'price_version_not_negative'],
      [
        'a second checkpoint',
        () => `INSERT INTO ledger_checkpoint VALUES (2, now(), now(), now())`,
        'ledger_checkpoint_one_row',
      ],
    ],
  ],

  [
    'to be emptied,',
    ['funding', 'adjustment', 'usage_record', 'billing_review', 'price_version'].map((table): Attempt => [
      table,
      () => `TRUNCATE ${table} CASCADE`,
      'append-only',
    ]),
  ],
];

describe.each(ATTEMPTS)('the database itself refuses, %s,', (_subject, attempts) => {
  it.each(attempts)('%s', async (_name, sql, refusal) => {
    await expect(db.pool.query(sql())).rejects.toThrow(refusal);
  });
});
