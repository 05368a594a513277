import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { givenLongHistory, monthsAgo, type LongHistory } from '../../test/long-history';
import { checkBooks, readLastCheck } from './check-books';

let db: TestDatabase;
let history: LongHistory;
beforeEach(async () => {
  db = await createTestDatabase();
  history = await givenLongHistory(db);
  await history.charge(monthsAgo(1));
});
afterEach(() => db.drop());

const check = () => checkBooks(db.workerPool);

async function checkpoint(): Promise<Record<string, unknown> | undefined> {
  const { rows } = await db.pool.query<Record<string, unknown>>('SELECT * FROM ledger_checkpoint');
  return rows[0];
}
async function changeBalance(by: string): Promise<void> {
  await db.pool.query(`UPDATE account_funds SET balance_nano = balance_nano ${by}`);
}
/** Moves the check's records some hours into the past. */
async function letHoursPass(hours: number): Promise<void> {
  const back = `interval '${String(hours)} hours'`;
  await db.pool.query(
    `UPDATE ledger_checkpoint SET closed_before = closed_before - ${back}, taken_at = taken_at - ${back},
                                  read_whole_at = read_whole_at - ${back};
     UPDATE ledger_check_round SET started_at = started_at - ${back}, finished_at = finished_at - ${back}`,
  );
}

const RIGHT = { differences: [] };
const finished = (...passes: string[]) => ({
  ...RIGHT,
  rounds: passes.map((pass) => ({ pass, isFinished: true })),
});

describe('a check of the books', () => {
  it('reads all of them first, new entries after an hour, and all again after a day', async () => {
    expect(await check()).toEqual(finished('whole'));
    expect(await check()).toEqual(finished());

    await letHoursPass(2);
    const before = await checkpoint();
    expect(await check()).toEqual(finished('recent'));
    const after = await checkpoint();
    expect(after?.['closed_before']).not.toEqual(before?.['closed_before']);
    expect(after?.['read_whole_at']).toEqual(before?.['read_whole_at']);

    await letHoursPass(24);
    expect(await check()).toEqual(finished('recent', 'whole'));
    expect((await checkpoint())?.['read_whole_at']).toEqual((await checkpoint())?.['taken_at']);
  });

  it('does not wait for a time in the future, after the clock of the database went back', async () => {
    await check();
    await check();
    await letHoursPass(-30);
    expect(await check()).toEqual(finished('recent', 'whole'));
  });

  it('that finds differences keeps the checkpoint, and reports them again until they are fixed', async () => {
    await check();
    await letHoursPass(5);
    const before = await checkpoint();
    await changeBalance('+ 1');
    for (let checks = 0; checks < 2; checks++) {
      expect((await check())?.differences).not.toEqual([]);
      expect(await checkpoint()).toEqual(before);
      expect((await readLastCheck(db.workerPool))?.differences).toBeGreaterThan(0);
    }
    await changeBalance('- 1');
    expect(await check()).toEqual(finished('recent'));
    expect((await readLastCheck(db.workerPool))?.differences).toBe(0);
    expect(await checkpoint()).not.toEqual(before);
  });

  it('of books that were never right records no checkpoint', async () => {
    await changeBalance('+ 1');
    expect((await check())?.differences).not.toEqual([]);
    expect(await checkpoint()).toBeUndefined();
    await changeBalance('- 1');
  });

  it('runs one at a time, and the next one begins when it is over', async () => {
    const blocker = await db.pool.connect();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE usage_record IN ACCESS EXCLUSIVE MODE');
    const first = check();
    await untilWaiting();
    expect(await check()).toBeUndefined();
    await blocker.query('ROLLBACK');
    blocker.release();
    expect(await first).toMatchObject(RIGHT);
    expect(await check()).toMatchObject(RIGHT);
  });

  it('that failed leaves nothing behind', async () => {
    await db.pool.query('REVOKE SELECT ON reversal FROM farebox_worker');
    await expect(check()).rejects.toMatchObject({ code: '42501' });
    expect(await checkpoint()).toBeUndefined();
    await db.pool.query('GRANT SELECT ON reversal TO farebox_worker');
    expect(await check()).toEqual(finished('whole'));
  });
});

it('nothing is known about books that were never checked', async () => {
  expect(await readLastCheck(db.workerPool)).toBeUndefined();
});

async function untilWaiting(): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await db.pool.query(sql)).rowCount === 0) {
    if (Date.now() > deadlineMs) throw new Error('nothing waits');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
