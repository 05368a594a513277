import { HOUR_MS } from '@farebox/errors';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { anAdmission, aUsage, openLedgerHarness } from '../../test/ledger-harness';
import { dayAgo, givenUsageHistory, sumAllUsage } from '../../test/usage-history';
import { verifyLedger } from '../books/verify-ledger';
import { readUsage } from './read-usage';
import { ceilTo, readSummedBefore, rememberSummedBefore, sumClosedUsage } from './usage-sums';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(async () => {
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

const NOTHING_SUMMED = new Date(0);

async function givenCharge(at: Date): Promise<string> {
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  await givenPastCharge(db.pool, { accountId, apiKeyId: await givenApiKey(db.pool, accountId), at });
  return accountId;
}

const countSums = async (): Promise<number> =>
  (await db.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM usage_sum')).rows[0]?.count ??
  0;

it('an hour is not summed while a transaction runs that is older than its end', async () => {
  await givenCharge(dayAgo(1));
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_current_xact_id()');
    for (let i = 0; i < 3; i++) expect(await sumClosedUsage(db.workerPool)).toBe(0);
    expect(await readSummedBefore(db.pool)).toEqual(NOTHING_SUMMED);
  } finally {
    await client.query('COMMIT');
    client.release();
  }
  await sumAllUsage(db);
  // Of an hour: everything, the key, the model. Of a day: these, and both.
  expect(await countSums()).toBe(7);
});

it('usage is summed once, however many workers do it', async () => {
  for (const day of [5, 4, 3, 2, 1]) await givenCharge(dayAgo(day));
  await Promise.all([1, 2, 3, 4].map(() => sumAllUsage(db)));
  expect(await countSums()).toBe(5 * 7);
  expect(await sumClosedUsage(db.workerPool)).toBe(0);
});

it('days without usage are passed over', async () => {
  await givenCharge(dayAgo(300));
  await givenCharge(dayAgo(1));
  await db.pool.query(`UPDATE usage_sum_state SET closing_before = $1, closing_xid = '0'`, [dayAgo(0)]);
  const steps: Date[] = [];
  while ((await readSummedBefore(db.pool)) < dayAgo(0)) {
    await db.workerPool.query('SELECT ledger_sum_usage()');
    steps.push(await readSummedBefore(db.pool));
  }
  expect(steps).toEqual([dayAgo(299), dayAgo(0)]);
});

it('without any usage there is nothing to do', async () => {
  await sumAllUsage(db);
  expect(await countSums()).toBe(0);
});

it('how far it is summed is asked again after a while; with an older answer the same is read', async () => {
  const accountId = await givenCharge(dayAgo(2));
  let nowMs = 0;
  const summedBefore = rememberSummedBefore(db.pool, { rememberMs: 10, nowMs: () => nowMs });
  expect(await summedBefore()).toEqual(NOTHING_SUMMED);
  await sumAllUsage(db);
  const range = { from: dayAgo(3), to: dayAgo(0) };
  const readWith = (time?: typeof summedBefore) =>
    readUsage(db.accountPool, accountId, { range, groupBy: 'model' }, time);

  nowMs = 9;
  expect(await summedBefore()).toEqual(NOTHING_SUMMED);
  expect(await readWith(summedBefore)).toEqual(await readWith());
  nowMs = 10;
  expect(await summedBefore()).toEqual(await readSummedBefore(db.pool));
});

it('charges of this hour are read beside what has been summed', async () => {
  const harness = await openLedgerHarness();
  const customer = await harness.givenCustomer(1_000n);
  await givenPastCharge(harness.db.pool, { ...customer, at: dayAgo(1), costNano: 3n });
  await sumAllUsage(harness.db);
  const admission = anAdmission(customer, 50n);
  await harness.ledger.admit(admission);
  await harness.ledger.settle({ ...customer, holdId: admission.holdId, usage: aUsage(20n) });
  const range = { from: dayAgo(2), to: ceilTo(HOUR_MS, new Date(Date.now() + HOUR_MS)) };
  const [model] = await readUsage(harness.db.accountPool, customer.accountId, { range, groupBy: 'model' });
  expect(model).toMatchObject({ group: 'small', requests: 2, costNano: 23n });
  await harness.close();
});

const SUMS = 'the sums of usage are those of the counts by the hour';
const KEPT_HOURS = 'the hours that are kept of a day are those of the counts by the hour';

it.each([
  ['sums that were changed', 'UPDATE usage_sum SET requests = requests + 1', SUMS],
  ['sums that were deleted', `DELETE FROM usage_sum WHERE grain = 'day_model'`, SUMS],
  [
    'sums that were moved',
    `UPDATE usage_sum SET starts_at = starts_at - interval '30 days' WHERE grain = 'hour'`,
    SUMS,
  ],
  [
    'kept hours that were changed',
    `UPDATE usage_sum SET hours = '2' || hours WHERE grain = 'day_key'`,
    KEPT_HOURS,
  ],
  [
    'kept hours of a key and a model',
    `UPDATE usage_sum SET hours = '1 1 1 0 0 0 1 0' WHERE grain = 'day_key_model'`,
    KEPT_HOURS,
  ],
])('the check of the books finds %s', async (_name, sql, check) => {
  const history = await givenUsageHistory();
  await sumAllUsage(history.db);
  await history.db.pool.query(`CREATE TABLE kept AS SELECT * FROM usage_sum; ${sql}`);
  const { differences } = await verifyLedger(history.db.pool);
  await history.db.pool.query('TRUNCATE usage_sum; INSERT INTO usage_sum SELECT * FROM kept');
  await history.close();
  expect(new Set(differences.map((difference) => difference.check))).toEqual(new Set([check]));
});
