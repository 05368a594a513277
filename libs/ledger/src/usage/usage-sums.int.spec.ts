import { HOUR_MS } from '@farebox/flow';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { anAdmission, aUsage, openLedgerHarness } from '../../test/ledger-harness';
import {
  dayAgo,
  givenUsageHistory,
  readSummedBefore,
  sumAllUsage,
  sumUsageUntil,
} from '../../test/usage-history';
import { verifyLedger } from '../books/verify-ledger';
import { readUsage } from './read-usage';
import { ceilTo, hasUsedModel, sumClosedUsage } from './usage-sums';

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
    expect(await readSummedBefore(db)).toEqual(NOTHING_SUMMED);
  } finally {
    await client.query('COMMIT');
    client.release();
  }
  await sumAllUsage(db);
  // Per hour: total, key and model. Per day: these, and key with model.
  expect(await countSums()).toBe(7);
});

it('usage is summed once, however many workers do it', async () => {
  for (const day of [5, 4, 3, 2, 1]) await givenCharge(dayAgo(day));
  await Promise.all([1, 2, 3, 4].map(() => sumAllUsage(db)));
  expect(await countSums()).toBe(5 * 7);
  expect(await sumClosedUsage(db.workerPool)).toBe(0);
});

it('days without usage are skipped', async () => {
  await givenCharge(dayAgo(300));
  await givenCharge(dayAgo(1));
  await db.pool.query(`UPDATE usage_sum_state SET closing_before = $1, closing_xid = '0'`, [dayAgo(0)]);
  const steps: Date[] = [];
  while ((await readSummedBefore(db)) < dayAgo(0)) {
    await db.workerPool.query('SELECT ledger_sum_usage()');
    steps.push(await readSummedBefore(db));
  }
  expect(steps).toEqual([dayAgo(299), dayAgo(0)]);
});

it('there is nothing to do without usage', async () => {
  await sumAllUsage(db);
  expect(await countSums()).toBe(0);
});

const hourOf = (days: number, hour: number): Date => new Date(dayAgo(days).getTime() + hour * HOUR_MS);
const daysIn = async (table: string): Promise<unknown[]> =>
  (
    await db.pool.query<Record<string, unknown>>(
      `SELECT grain, requests::int, array_length(string_to_array(hours, E'\\n'), 1) AS hours FROM ${table}
       WHERE grain::text LIKE 'day%' ORDER BY grain`,
    )
  ).rows;

describe('a day', () => {
  /** For hours in which one key used one model. */
  const sumsOfDay = (requests: number, hours: number) => [
    ...['day', 'day_key', 'day_model'].map((grain) => ({ grain, requests, hours })),
    { grain: 'day_key_model', requests, hours: null },
  ];

  beforeEach(async () => {
    const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
    const apiKeyId = await givenApiKey(db.pool, accountId);
    for (const hour of [3, 3, 9, 20])
      await givenPastCharge(db.pool, { accountId, apiKeyId, at: hourOf(1, hour + 0.5) });
  });

  it('grows with each of its summed hours, and joins the others once it is over', async () => {
    for (const [hour, requests, hours] of [
      [4, 2, 1],
      [9, 2, 1],
      [10, 3, 2],
    ] as const) {
      await sumUsageUntil(db, hourOf(1, hour));
      expect(await daysIn('usage_open_day')).toEqual(sumsOfDay(requests, hours));
      expect((await verifyLedger(db.pool)).differences).toEqual([]);
    }
    expect(await daysIn('usage_sum')).toEqual([]);
    await sumUsageUntil(db, dayAgo(0));
    expect(await daysIn('usage_open_day')).toEqual([]);
    expect(await daysIn('usage_sum')).toEqual(sumsOfDay(4, 3));
  });
});

it('whether a model was ever used is known while nothing is summed, and when all is', async () => {
  const accountId = await givenCharge(dayAgo(2));
  const used = () => Promise.all(['small', 'large'].map((id) => hasUsedModel(db.accountPool, accountId, id)));
  expect(await used()).toEqual([true, false]);
  await sumAllUsage(db);
  expect(await used()).toEqual([true, false]);
});

it('charges of this hour are read beside the sums', async () => {
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

it('an account reads the same at any moment, while its usage is summed', async () => {
  const history = await givenUsageHistory();
  const { accountId, chargeIds } = history;
  let isSummed = false;
  const sum = async (): Promise<void> => {
    for (let hours = 0; hours <= 7 * 24; hours += 5) await sumUsageUntil(history.db, hourOf(7, hours));
    isSummed = true;
  };
  const read = async (to: Date, requests: number): Promise<void> => {
    while (!isSummed) {
      const range = { from: hourOf(6, -3), to };
      const groups = await readUsage(history.db.accountPool, accountId, { range, groupBy: 'model' });
      expect(groups.reduce((all, group) => all + group.requests, 0)).toBe(requests);
    }
  };
  await Promise.all([sum(), read(dayAgo(0), chargeIds.length), read(hourOf(2, 8), chargeIds.length - 8)]);
  await history.close();
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
  ['a day under way that was changed', 'UPDATE usage_open_day SET cost_nano = cost_nano + 1', SUMS],
  ['a day under way that was deleted', `DELETE FROM usage_open_day WHERE grain = 'day_key_model'`, SUMS],
  [
    'a day under way that stands among those that are over',
    'INSERT INTO usage_sum SELECT (jsonb_populate_record(NULL::usage_sum, to_jsonb(o))).* FROM usage_open_day o',
    SUMS,
  ],
  [
    'a day that is over and is still under way',
    `INSERT INTO usage_open_day SELECT (jsonb_populate_record(NULL::usage_open_day, to_jsonb(s))).*
     FROM usage_sum s WHERE grain = 'day'`,
    SUMS,
  ],
  [
    'hours that are not kept of a day under way',
    `UPDATE usage_open_day SET hours = NULL WHERE grain = 'day_model'`,
    KEPT_HOURS,
  ],
])('the check of the books finds %s', async (_name, sql, check) => {
  const history = await givenUsageHistory();
  await sumUsageUntil(history.db, hourOf(1, 13));
  await history.db.pool.query(
    `CREATE TABLE kept AS SELECT * FROM usage_sum; CREATE TABLE kept_open AS SELECT * FROM usage_open_day; ${sql}`,
  );
  const { differences } = await verifyLedger(history.db.pool);
  await history.db.pool.query(
    `TRUNCATE usage_sum, usage_open_day; INSERT INTO usage_sum SELECT * FROM kept;
     INSERT INTO usage_open_day SELECT * FROM kept_open`,
  );
  await history.close();
  expect(new Set(differences.map((difference) => difference.check))).toEqual(new Set([check]));
});
