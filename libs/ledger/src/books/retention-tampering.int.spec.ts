import { createTestDatabase, givenPastRefund, type TestDatabase } from '@farebox/testing';
import { checkBooks, givenLongHistory, monthsAgo } from '../../test/long-history';
import { differencesAfter } from '../../test/tampering';
import { purgeUsageRecords } from '../retention';
import { verifyLedger } from './verify-ledger';

// Books with purged requests, changed past every trigger: the remaining rows still reveal it.
let db: TestDatabase;
let ids: { purged: string; reviewed: string; refunded: string; kept: string };
beforeAll(async () => {
  db = await createTestDatabase();
  const { accountId, apiKeyId, charge } = await givenLongHistory(db);
  ids = {
    purged: await charge(monthsAgo(5)),
    reviewed: await charge(monthsAgo(5), { costNano: 12n }),
    refunded: await charge(monthsAgo(4)),
    kept: await charge(monthsAgo(1)),
  };
  await givenPastRefund(db.pool, { accountId, chargeId: ids.refunded, at: new Date() });
  await db.pool.query(
    `INSERT INTO billing_review (id, account_id, api_key_id, request_id, reason, state, held_nano, reserved_nano, created_at,
                                 resolved_at, resolved_by)
     VALUES ($1, $2, $3, 'req_1', 'charge_failed', 'charged', 20, 12, $4, $4, 'ada')`,
    [ids.reviewed, accountId, apiKeyId, monthsAgo(5)],
  );
  await db.pool.query(
    `INSERT INTO idempotency_claim (api_key_id, key, account_id, hold_id, fingerprint, state, answer, created_at, expires_at)
     VALUES ($1, 'old', $2, $3, 'x', 'answered', 'x', $4, $4)`,
    [apiKeyId, accountId, ids.purged, monthsAgo(5)],
  );
  await checkBooks(db);
  expect(await purgeUsageRecords(db.workerPool, { months: 2 })).toBe(2);
});
afterAll(async () => {
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

type Tampering = [name: string, sql: () => string, found: RegExp];
const hourOf = (id: string): string =>
  `hour = (SELECT date_trunc('hour', created_at, 'UTC') FROM ledger_entry WHERE id = '${id}')`;

it.each<Tampering>([
  [
    'a record that is kept, deleted',
    () => `DELETE FROM usage_record WHERE id = '${ids.kept}'`,
    /usage record belong/,
  ],
  [
    'the record of a refunded charge, deleted',
    () => `DELETE FROM usage_record WHERE id = '${ids.refunded}'`,
    /usage record belong/,
  ],
  [
    'the record of a refunded charge, changed',
    () => `UPDATE usage_record SET cost_nano = 1 WHERE id = '${ids.refunded}'`,
    /usage record belong/,
  ],
  [
    'an hour of purged requests that cost more',
    () => `UPDATE usage_hour SET cost_nano = cost_nano + 1 WHERE ${hourOf(ids.purged)}`,
    /cost what the entries say/,
  ],
  [
    'an hour of purged requests, deleted',
    () => `DELETE FROM usage_hour WHERE ${hourOf(ids.purged)}`,
    /cost what the entries say/,
  ],
  [
    'the charge of a purged request that was changed',
    () => `UPDATE ledger_entry SET amount_nano = amount_nano + 1 WHERE id = '${ids.purged}'`,
    /cost what the entries say/,
  ],
  [
    'a review of a purged request that says another amount',
    () => `UPDATE billing_review SET reserved_nano = 11 WHERE id = '${ids.reviewed}'`,
    /held, in review or charged/,
  ],
  [
    'a day of purged requests that holds something',
    () => `UPDATE account_day SET held_nano = 1 WHERE day < '${monthsAgo(4).toISOString()}'`,
    /day counts/,
  ],
  [
    'a day of kept requests that counts another one',
    () => `UPDATE account_day SET requests = 9 WHERE day > '${monthsAgo(2).toISOString()}'`,
    /day counts/,
  ],
])('the check of the books finds %s', async (_name, sql, found) => {
  const differences = await differencesAfter(db, sql());
  expect(differences.map(({ check }) => check)).toContainEqual(expect.stringMatching(found));
});
