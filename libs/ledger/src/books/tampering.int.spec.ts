import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { givenSampleBooks, type SampleBooks } from '../../test/sample-books';
import { differencesAfter } from '../../test/tampering';
import { verifyLedger } from './verify-ledger';

// Changes that the database cannot refuse to its owner, who may remove triggers: the check of the books finds
// them.
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

type Tampering = [name: string, sql: () => string, found: RegExp];

const charge = (): string => `id = '${books.chargedId}'`;
const refund = (): string => `refunded_entry_id = '${books.refundedId}'`;
const openReview = (): string => `id = '${books.inReviewId}'`;

const TAMPERINGS: [subject: string, tamperings: Tampering[]][] = [
  [
    'balances and the journal',
    [
      [
        'a balance that was raised',
        () => `UPDATE account_funds SET balance_nano = balance_nano + 1`,
        /balance of an account/,
      ],
      [
        'funds that were deleted',
        () => `DELETE FROM account_funds WHERE account_id = '${books.accountId}'`,
        /balance of an account/,
      ],
      [
        'a payment taken back of which nothing was taken',
        () => `INSERT INTO reversal (id, account_id, amount_nano, taken_nano, reason, reference, made_by, created_at)
               VALUES ('${books.chargedId}', '${books.accountId}', 9, 9, 'x', 'x', 'x', now())`,
        /taken of a reversal/,
      ],
      [
        'an entry whose amount was changed',
        () => `UPDATE ledger_entry SET amount_nano = amount_nano + 1 WHERE ${charge()}`,
        /carry the balance forward/,
      ],
      [
        'an entry whose balance was changed',
        () => `UPDATE ledger_entry SET balance_after_nano = balance_after_nano + 1 WHERE ${charge()}`,
        /carry the balance forward/,
      ],
      [
        'an entry that was turned round',
        () => `UPDATE ledger_entry SET from_book = 'adjustments', to_book = 'customer', kind = 'adjustment'
               WHERE ${charge()}`,
        /carry the balance forward/,
      ],
      [
        'an entry that was taken out',
        () => `DELETE FROM ledger_entry WHERE ${charge()}`,
        /follow each other/,
      ],
      [
        'the newest entry, taken out',
        () => `DELETE FROM ledger_entry WHERE seq = (SELECT max(seq) FROM ledger_entry)`,
        /balance of an account/,
      ],
      [
        'a refund of more than its charge',
        () => `UPDATE ledger_entry SET amount_nano = amount_nano + 1 WHERE ${refund()}`,
        /refund gives back exactly/,
      ],
      [
        'a refund of another charge',
        () => `UPDATE ledger_entry SET refunded_entry_id = '${books.chargedId}' WHERE ${refund()}`,
        /refund gives back exactly/,
      ],
    ],
  ],
  [
    'top-ups and adjustments',
    [
      [
        'a top-up that was raised',
        () => `UPDATE funding SET amount_nano = amount_nano + 1`,
        /top-up and its funding/,
      ],
      ['a top-up that was deleted', () => `DELETE FROM funding`, /top-up and its funding/],
      ['an adjustment that was changed', () => `UPDATE adjustment SET amount_nano = 100`, /adjustment/],
      ['an adjustment that was deleted', () => `DELETE FROM adjustment`, /adjustment/],
    ],
  ],
  [
    'usage',
    [
      [
        'a charge without a usage record',
        () => `DELETE FROM usage_record WHERE ${charge()}`,
        /charge and its usage/,
      ],
      [
        'usage of another cost than its charge',
        () => `UPDATE usage_record SET cost_nano = cost_nano - 1 WHERE ${charge()}`,
        /charge and its usage/,
      ],
      [
        'usage of more tokens than its hour',
        () => `UPDATE usage_record SET prompt_tokens = prompt_tokens + 1 WHERE ${charge()}`,
        /hour/,
      ],
      ['an hour with a request less', () => `UPDATE usage_hour SET requests = requests - 1`, /hour/],
      ['an hour with another cost', () => `UPDATE usage_hour SET cost_nano = cost_nano + 1`, /hour/],
      ['an hour of another model', () => `UPDATE usage_hour SET model_id = 'large'`, /hour/],
      ['an hour that was deleted', () => `DELETE FROM usage_hour`, /hour/],
      ['a day with a request less', () => `UPDATE account_day SET requests = requests - 1`, /day/],
      ['a day that held less', () => `UPDATE account_day SET held_nano = held_nano - 1`, /day/],
      [
        'a day on which nothing was admitted',
        () =>
          `INSERT INTO account_day (account_id, day, requests) VALUES ('${books.accountId}', '2026-01-01', 1)`,
        /day/,
      ],
      [
        "a key's month that spent less",
        () => `UPDATE api_key_month SET spent_nano = spent_nano - 1`,
        /month/,
      ],
      ["a key's month that was deleted", () => `DELETE FROM api_key_month`, /month/],
    ],
  ],
  [
    'holds, reviews and claims',
    [
      ['more held than there are holds', () => `UPDATE account_funds SET held_nano = held_nano + 1`, /held/],
      ['a hold that was lowered', () => `UPDATE hold SET amount_nano = amount_nano - 1`, /held/],
      ['a hold that was deleted', () => `DELETE FROM hold`, /held/],
      [
        'a hold of a request that was charged',
        () => `UPDATE hold SET id = '${books.chargedId}'`,
        /one of them only/,
      ],
      [
        'a reserve that was lowered',
        () => `UPDATE billing_review SET reserved_nano = reserved_nano - 1 WHERE ${openReview()}`,
        /held/,
      ],
      [
        'a review that was waived without giving its reserve back',
        () => `UPDATE billing_review SET state = 'waived', resolved_at = now(), resolved_by = 'eve'
               WHERE ${openReview()}`,
        /held/,
      ],
      [
        'a review that was resolved without its charge',
        () => `UPDATE billing_review SET state = 'charged', resolved_at = now(), resolved_by = 'eve'
               WHERE ${openReview()}`,
        /one of them only/,
      ],
      [
        'a review that says less than was charged',
        () =>
          `UPDATE billing_review SET reserved_nano = reserved_nano - 1 WHERE id = '${books.chargedReviewId}'`,
        /one of them only/,
      ],
      ['an open review that was deleted', () => `DELETE FROM billing_review WHERE ${openReview()}`, /held/],
      [
        'a claim that was spent before its charge',
        () => `UPDATE idempotency_claim SET state = 'answered', answer = 'x' WHERE state = 'in_flight'`,
        /Idempotency-Key/,
      ],
      [
        'a claim that was freed before its request ended',
        () => `DELETE FROM idempotency_claim WHERE state = 'in_flight'`,
        /Idempotency-Key/,
      ],
    ],
  ],
];

describe.each(TAMPERINGS)('the check of the books finds, in %s,', (_subject, tamperings) => {
  it.each(tamperings)('%s', async (_name, sql, found) => {
    // Also if the account is read in parts and has earlier rows.
    const inParts = await differencesAfter(db, sql(), { bounds: { accounts: 1, entries: 2 } });
    expect(inParts.filter((difference) => found.test(difference.check))).not.toEqual([]);
    const differences = await differencesAfter(db, sql());
    expect(differences.filter((difference) => found.test(difference.check))).not.toEqual([]);
    expect(new Set(differences.map((difference) => difference.accountId ?? books.accountId))).toEqual(
      new Set([books.accountId]),
    );
  });
});
