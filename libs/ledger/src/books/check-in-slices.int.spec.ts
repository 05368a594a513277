import { HOUR_MS } from '@farebox/flow';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import type pg from 'pg';
import { givenLongHistory, startOfMonthAgo, type LongHistory } from '../../test/long-history';
import { differencesAfter } from '../../test/tampering';
import { dayAgo, sumUsageUntil } from '../../test/usage-history';
import { purgeUsageRecords } from '../retention';
import { checkBooks, readCheckProgress, readLastCheck } from './check-books';
import { verifyLedger, type VerifyOptions } from './verify-ledger';

/** Four entries of an account exceed one snapshot, as do three accounts. */
const SMALL = { accounts: 2, entries: 3 };
const HOURS = 20;

let db: TestDatabase;
let history: LongHistory;
/** One account with a charge per hour on two days, among others without charges. */
beforeEach(async () => {
  db = await createTestDatabase();
  await givenAccount(db.pool);
  history = await givenLongHistory(db);
  for (let hour = 0; hour < HOURS; hour++) await history.charge(atHour(hour));
  for (let accounts = 0; accounts < 3; accounts++) await givenAccount(db.pool, { balanceNano: 5n });
});
afterEach(async () => {
  await db.drop();
});

const atHour = (hour: number): Date =>
  new Date(startOfMonthAgo(4).getTime() + (hour + 10) * HOUR_MS + 60_000);
const entriesOfAll = 1 + HOURS + 3;
const check = (mostEntries?: number) =>
  checkBooks(db.workerPool, { bounds: SMALL, ...(mostEntries !== undefined && { mostEntries }) });

/** A pool that records the work of each transaction of a check. */
function watched(pool: pg.Pool): { pool: Pick<pg.Pool, 'connect'>; transactions: string[][] } {
  const transactions: string[][] = [];
  const connect = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect();
    const query = (sql: string, values?: unknown[]): Promise<unknown> => {
      if (sql.startsWith('BEGIN')) transactions.push([]);
      transactions.at(-1)?.push(sql);
      return client.query(sql, values);
    };
    return {
      query,
      release: () => {
        client.release();
      },
    } as unknown as pg.PoolClient;
  };
  return { pool: { connect }, transactions };
}

describe('a check of the books', () => {
  it('holds no snapshot longer than it takes to read some accounts, or a part of one', async () => {
    const { pool, transactions } = watched(db.workerPool);
    const read: bigint[] = [];
    const options: VerifyOptions = { bounds: SMALL, onProgress: ({ entries }) => read.push(entries) };
    expect(await verifyLedger(pool as pg.Pool, options)).toMatchObject({
      ...{ ok: true, accounts: 5, entries: BigInt(entriesOfAll) },
    });
    expect(transactions.length).toBe(read.length);
    const most = Math.max(...read.map((entries, i) => Number(entries - (read[i - 1] ?? 0n))));
    expect(most).toBeLessThanOrEqual(SMALL.entries + 1);
    expect(read.length).toBeGreaterThan(HOURS / SMALL.entries);
    for (const statements of transactions.slice(0, -1)) {
      expect(statements.some((sql) => /^(COMMIT|ROLLBACK)/.test(sql))).toBe(true);
    }
  });

  it('that is interrupted continues where it was, and reads nothing twice', async () => {
    const entries: number[] = [];
    for (;;) {
      const result = await check(1);
      entries.push(Number((await readCheckProgress(db.workerPool))?.entriesRead));
      if (result?.rounds.some(({ isFinished }) => isFinished)) break;
      expect(await readLastCheck(db.workerPool)).toBeUndefined();
    }
    expect(entries.length).toBeGreaterThan(HOURS / SMALL.entries);
    expect(entries).toEqual([...entries].sort((a, b) => a - b));
    expect(entries.at(-1)).toBe(entriesOfAll);
    expect(await readLastCheck(db.workerPool)).toMatchObject({ differences: 0 });
  });

  it('whose worker dies within a slice reads that slice again, and no other', async () => {
    // As in every pool of a service: the statement reports a connection that ends while in use.
    db.workerPool.on('connect', (client) => client.on('error', () => undefined));
    await check(1);
    await check(1);
    const before = await readCheckProgress(db.workerPool);
    const blocker = await db.pool.connect();
    await blocker.query('BEGIN; LOCK TABLE ledger_checkpoint_account IN ACCESS EXCLUSIVE MODE');
    const dying = check();
    const rejected = expect(dying).rejects.toThrow();
    await killWhoWaits();
    await rejected;
    await blocker.query('ROLLBACK');
    blocker.release();
    expect(await readCheckProgress(db.workerPool)).toEqual(before);
    expect((await check())?.rounds).toEqual([{ pass: 'whole', isFinished: true }]);
    expect((await readCheckProgress(db.workerPool))?.entriesRead).toBe(BigInt(entriesOfAll));
  });

  it('reads entries that were added during it in the next round', async () => {
    while (!(await check(1))?.rounds.some(({ isFinished }) => isFinished)) {
      await givenAccount(db.pool, { balanceNano: 1n });
    }
    await history.charge(atHour(HOURS));
    await db.pool.query(`UPDATE ledger_checkpoint SET taken_at = taken_at - interval '1 hour'`);
    expect(await check()).toEqual({ differences: [], rounds: [{ pass: 'recent', isFinished: true }] });
    expect(await verifyLedger(db.pool)).toMatchObject({ ok: true });
  });
});

describe('retention', () => {
  it('continues while all of the books are being read, however long that takes', async () => {
    await check();
    await db.pool.query(`UPDATE ledger_checkpoint SET read_whole_at = read_whole_at - interval '2 days'`);
    const result = await check(1);
    expect(result?.rounds).toContainEqual({ pass: 'whole', isFinished: false });
    expect(await purgeUsageRecords(db.workerPool, { months: 2 })).toBe(HOURS);
    const all: unknown[] = [];
    while (!(await check(1))?.rounds.some(({ pass, isFinished }) => pass === 'whole' && isFinished))
      all.push(1);
    expect(all.length).toBeGreaterThan(1);
    expect(await readLastCheck(db.workerPool)).toMatchObject({ differences: 0 });
  });
});

describe('an account that is read in parts', () => {
  const nth = (n: number): string =>
    `(SELECT id FROM usage_record WHERE account_id = '${history.accountId}' ORDER BY created_at OFFSET ${String(n)} LIMIT 1)`;
  const day = (n: number): string =>
    `account_id = '${history.accountId}' AND day = '${atHour(n).toISOString().slice(0, 10)}'`;

  it.each([
    [
      'an entry in its middle',
      () => `UPDATE ledger_entry SET amount_nano = amount_nano + 1 WHERE id = ${nth(9)}`,
      /forward/,
    ],
    [
      'a request without its record',
      () => `DELETE FROM usage_record WHERE id = ${nth(4)}`,
      /charge and its usage/,
    ],
    [
      'a record of other tokens',
      () => `UPDATE usage_record SET prompt_tokens = 99 WHERE id = ${nth(11)}`,
      /by the hour/,
    ],
    ['a count of its first day', () => `UPDATE account_day SET requests = 1 WHERE ${day(0)}`, /day counts/],
    ['a count of its last day', () => `UPDATE account_day SET spent_nano = 0 WHERE ${day(19)}`, /day counts/],
    [
      'a month',
      () => `UPDATE api_key_month SET spent_nano = 1 WHERE api_key_id = '${history.apiKeyId}'`,
      /month counts/,
    ],
    [
      'an hour of nothing',
      () =>
        `UPDATE usage_hour SET hour = hour + interval '4 days' WHERE requests = 1 AND hour = date_trunc('hour', timestamptz '${atHour(7).toISOString()}', 'UTC')`,
      /by the hour/,
    ],
  ])('is found where it differs in %s', async (_name, sql, check) => {
    const differences = await differencesAfter(db, sql(), { bounds: SMALL });
    expect(differences.map((difference) => difference.check)).toContainEqual(expect.stringMatching(check));
    expect(new Set(differences.map(({ accountId }) => accountId))).toEqual(new Set([history.accountId]));
  });

  it('is right, even if its first requests are purged', async () => {
    await verifyLedger(db.workerPool);
    await purgeUsageRecords(db.workerPool, { months: 2 });
    const costs = `UPDATE usage_hour SET cost_nano = cost_nano + 1 WHERE hour > timestamptz '${atHour(5).toISOString()}'`;
    const found = (await differencesAfter(db, costs, { bounds: SMALL })).map(
      (difference) => difference.check,
    );
    expect(found).toContainEqual(expect.stringContaining('where the usage records are purged'));
    expect((await verifyLedger(db.workerPool, { bounds: SMALL })).differences).toEqual([]);
  });
});

it('a check of recent entries compares the sums written since the last one, also if an account is read in parts', async () => {
  await history.charge(dayAgo(1));
  await history.charge(dayAgo(0));
  expect((await verifyLedger(db.workerPool, { bounds: SMALL })).differences).toEqual([]);
  // Starts within the hour that the worker needed for the day.
  await db.pool.query('UPDATE ledger_checkpoint SET closed_before = $1', [dayAgo(1)]);
  await sumUsageUntil(db, dayAgo(0));
  for (let second = 1; second <= 2 * SMALL.entries; second++)
    await history.charge(new Date(dayAgo(0).getTime() + second * 1_000));
  const options: VerifyOptions = { bounds: SMALL, sinceCheckpoint: true };
  const tampered = `UPDATE usage_sum SET requests = 2 WHERE grain = 'day' AND starts_at = '${dayAgo(1).toISOString()}'`;
  expect((await differencesAfter(db, tampered, options)).map(({ check }) => check)).toEqual([
    'the sums of usage are those of the counts by the hour',
  ]);
  expect((await verifyLedger(db.workerPool, options)).differences).toEqual([]);
});

/** Ends the connection that waits for a lock. */
async function killWhoWaits(): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await db.pool.query(sql)).rowCount === 0) {
    if (Date.now() > deadlineMs) throw new Error('nothing waits');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
