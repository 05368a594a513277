import { readLastCheck } from '@farebox/ledger';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { startWorker } from '../test/worker-harness';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

/** Whether a statement containing `words` waits for a lock. */
const isWaiting = async (words = ''): Promise<boolean> => {
  const sql = `SELECT FROM pg_stat_activity
               WHERE datname = current_database() AND wait_event_type = 'Lock' AND strpos(query, $1) > 0`;
  return (await db.pool.query(sql, [words])).rowCount !== 0;
};

it('a stop does not wait for long work, which leaves nothing behind and is repeated by the next worker', async () => {
  const blocker = await db.pool.connect();
  await blocker.query('BEGIN');
  // Of all jobs, only the check of the books reads it.
  await blocker.query('LOCK TABLE reversal IN ACCESS EXCLUSIVE MODE');
  const first = await startWorker(db, {});
  await first.until(() => isWaiting());
  await first.close();
  expect(await readLastCheck(db.pool)).toBeUndefined();
  await blocker.query('ROLLBACK');
  blocker.release();

  const second = await startWorker(db, {});
  await second.until(async () => (await readLastCheck(db.pool)) !== undefined);
  await second.close();
  expect(await readLastCheck(db.pool)).toMatchObject({ differences: 0 });
});

/** Longer than a customer's request would wait for a lock. */
const LONG_SECONDS = 3;

it('waits for a month that another worker is issuing, however long that takes', async () => {
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  const now = new Date();
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 3, 15));
  await givenPastCharge(db.pool, { accountId, apiKeyId, at });
  const other = await db.pool.connect();
  await other.query('BEGIN');
  await other.query('SELECT invoice_issue($1)', [`${at.toISOString().slice(0, 7)}-01`]);

  const worker = await startWorker(db, {});
  await worker.until(() => isWaiting('invoice_issue'));
  await other.query('SELECT pg_sleep($1)', [LONG_SECONDS]);
  expect(await isWaiting('invoice_issue')).toBe(true);
  await other.query('COMMIT');
  other.release();
  await worker.until(async () => !(await isWaiting('invoice_issue')));
  await worker.close();
  expect(worker.log()).not.toMatch(/"event":"job_(failed|given_up)","job":"issue-invoices"/);
  expect((await db.pool.query('SELECT FROM invoice')).rowCount).toBe(1);
});
