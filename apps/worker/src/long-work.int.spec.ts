import { readLastCheck } from '@farebox/ledger';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { startWorker } from '../test/worker-harness';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const isWaiting = async (): Promise<boolean> => {
  const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await db.pool.query(sql)).rowCount !== 0;
};

it('a stop does not wait for long work, which leaves nothing behind and is done by the next worker', async () => {
  const blocker = await db.pool.connect();
  await blocker.query('BEGIN');
  // Of all jobs the check of the books alone reads it.
  await blocker.query('LOCK TABLE reversal IN ACCESS EXCLUSIVE MODE');
  const first = await startWorker(db, {});
  await first.until(isWaiting);
  await first.close();
  expect(await readLastCheck(db.pool)).toBeUndefined();
  await blocker.query('ROLLBACK');
  blocker.release();

  const second = await startWorker(db, {});
  await second.until(async () => (await readLastCheck(db.pool)) !== undefined);
  await second.close();
  expect(await readLastCheck(db.pool)).toMatchObject({ differences: 0 });
});
