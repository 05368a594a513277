import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, givenPastRefund, type TestDatabase } from '@farebox/testing';
import {
  checkBooks,
  givenLongHistory,
  monthsAgo,
  startOfMonthAgo,
  type LongHistory,
} from '../test/long-history';
import { verifyLedger } from './books/verify-ledger';
import { purgeUsageRecords, PURGED_BEFORE } from './retention';
import { listUsage } from './usage/list-usage';
import { readUsage } from './usage/read-usage';

let db: TestDatabase;
let history: LongHistory;
beforeEach(async () => {
  db = await createTestDatabase();
  history = await givenLongHistory(db);
});
afterEach(async () => {
  for (const sinceCheckpoint of [false, true]) {
    expect((await verifyLedger(db.pool, { sinceCheckpoint })).differences).toEqual([]);
  }
  await db.drop();
});

const forget = (months = 2, batch?: number): Promise<number> =>
  purgeUsageRecords(db.workerPool, { months, ...(batch !== undefined && { batch }) });

async function purgedBefore(): Promise<Date | undefined> {
  const { rows } = await db.accountPool.query<{ time: Date }>(`SELECT ${PURGED_BEFORE} AS time`);
  return rows[0]?.time;
}

async function refund(chargeId: string): Promise<boolean | undefined> {
  const { rows } = await db.pool.query<{ done: boolean }>('SELECT ledger_refund($1, $2) AS done', [
    uuidV7(),
    chargeId,
  ]);
  return rows[0]?.done;
}

describe('request records', () => {
  it('are deleted when they are older than the retained months, to the microsecond', async () => {
    await history.charge(monthsAgo(5));
    await history.charge(new Date(startOfMonthAgo(2).getTime() - 1));
    const kept = [await history.charge(startOfMonthAgo(2)), await history.charge(monthsAgo(1))];
    await checkBooks(db);
    expect(await forget()).toBe(2);
    expect(await history.recordIds()).toEqual(kept);
    expect(await purgedBefore()).toEqual(startOfMonthAgo(2));
    expect(await forget()).toBe(0);
  });

  it('are deleted with their routes', async () => {
    const [old, young] = [await history.charge(monthsAgo(5)), await history.charge(monthsAgo(1))];
    await db.pool.query(`INSERT INTO usage_route SELECT unnest($1::uuid[]), 'near', 'm', 3`, [[old, young]]);
    await checkBooks(db);
    expect(await forget()).toBe(1);
    expect((await db.pool.query('SELECT id FROM usage_route')).rows).toEqual([{ id: young }]);
  });

  it('are deleted alone: entries stay, and so do the sums of usage', async () => {
    for (const months of [6, 4, 1]) await history.charge(monthsAgo(months), { costNano: BigInt(months) });
    await checkBooks(db);
    const range = { from: startOfMonthAgo(7), to: new Date() };
    const read = () => readUsage(db.accountPool, history.accountId, { range, groupBy: 'model' });
    const before = await read();
    expect(before).toMatchObject([{ requests: 3, costNano: 11n }]);
    expect(await forget()).toBe(2);
    expect(await read()).toEqual(before);
    const { rows } = await db.pool.query(`SELECT FROM ledger_entry WHERE kind = 'charge'`);
    expect(rows).toHaveLength(3);
  });

  it('of a charge that was recorded long after its admission stay for the time of the charge', async () => {
    const late = await history.charge(monthsAgo(1), { admittedAt: monthsAgo(5) });
    await checkBooks(db);
    expect(await forget()).toBe(0);
    expect(await history.recordIds()).toEqual([late]);
  });

  it('stay if no check has verified them yet', async () => {
    await history.charge(monthsAgo(5));
    expect(await forget()).toBe(0);
    await db.pool.query(
      `INSERT INTO ledger_checkpoint (closed_before, taken_at, read_whole_at) VALUES ($1, now(), now())`,
      [new Date(startOfMonthAgo(2).getTime() - 1)],
    );
    expect(await forget()).toBe(0);
    await checkBooks(db);
    expect(await forget()).toBe(1);
  });

  it('stay deleted if more months are retained later', async () => {
    await history.charge(monthsAgo(5));
    await checkBooks(db);
    await forget(2);
    expect(await forget(100)).toBe(0);
    expect(await purgedBefore()).toEqual(startOfMonthAgo(2));
  });

  it('are kept for at least two months, whatever the worker asks for', async () => {
    await expect(forget(1)).rejects.toThrow('two months');
    await expect(forget(-5)).rejects.toThrow('two months');
  });

  it('are deleted in small steps, and once each if two workers do it at once', async () => {
    for (let i = 0; i < 20; i++) await history.charge(new Date(monthsAgo(4).getTime() + i));
    await checkBooks(db);
    const counts = await Promise.all([forget(2, 3), forget(2, 3)]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
    expect(await history.recordIds()).toEqual([]);
  });

  it('that are purged are in no list, under a filter or not', async () => {
    await history.charge(monthsAgo(5));
    const kept = await history.charge(monthsAgo(5));
    await refund(kept);
    const recent = await history.charge(monthsAgo(1));
    await checkBooks(db);
    expect(await forget()).toBe(1);
    for (const filter of [{}, { modelId: 'small' }, { apiKeyId: history.apiKeyId }]) {
      const page = await listUsage(db.accountPool, history.accountId, { ...filter, limit: 20 });
      expect([page.records.map(({ id }) => id), page.hasMore]).toEqual([[recent], false]);
    }
  });
});

describe('a charge', () => {
  it('that was refunded keeps its record: the invoice of the refund names its model', async () => {
    const [, given] = [await history.charge(monthsAgo(5)), await history.charge(monthsAgo(5))];
    await givenPastRefund(db.pool, { accountId: history.accountId, chargeId: given, at: monthsAgo(3) });
    await checkBooks(db);
    expect(await forget()).toBe(1);
    expect(await history.recordIds()).toEqual([given]);
    expect(await forget()).toBe(0);
  });

  it('whose request was purged is not refunded any more', async () => {
    const purged = await history.charge(monthsAgo(5));
    await checkBooks(db);
    await forget();
    expect(await refund(purged)).toBe(false);
  });

  it('that is being refunded while requests are purged keeps its record', async () => {
    const chargeId = await history.charge(monthsAgo(5));
    await checkBooks(db);
    const client = await db.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT ledger_refund($1, $2)', [uuidV7(), chargeId]);
    expect(await forget()).toBe(0);
    await client.query('COMMIT');
    client.release();
    expect(await forget()).toBe(0);
    expect(await history.recordIds()).toEqual([chargeId]);
  });

  it('whose request is being purged is not refunded once that is done', async () => {
    const chargeId = await history.charge(monthsAgo(5));
    await checkBooks(db);
    const client = await db.pool.connect();
    await client.query('BEGIN');
    expect(await purgeUsageRecords(client, { months: 2 })).toBe(1);
    const refunded = refund(chargeId);
    await untilWaiting('ledger_refund');
    await client.query('COMMIT');
    client.release();
    expect(await refunded).toBe(false);
  });
});

/** Waits until a statement that contains this text waits for a lock. */
async function untilWaiting(name: string): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  for (;;) {
    const { rowCount } = await db.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`,
      [name],
    );
    if (rowCount !== 0) return;
    if (Date.now() > deadlineMs) throw new Error('nothing waits');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it.each([
  ['newer than what may be purged', (id: string) => `DELETE FROM usage_record WHERE id = '${id}'`],
  ['going back in time', () => `UPDATE usage_retention SET purged_before = '1980-01-01'`],
  ['between two months', () => `UPDATE usage_retention SET purged_before = '2001-01-02'`],
  ['without a note', () => 'DELETE FROM usage_retention'],
])('the database itself refuses to forget: %s', async (_name, sql) => {
  const id = await history.charge(monthsAgo(1));
  await checkBooks(db);
  await forget();
  await expect(db.pool.query(sql(id))).rejects.toMatchObject({
    code: expect.stringMatching(/^23/) as string,
  });
});
