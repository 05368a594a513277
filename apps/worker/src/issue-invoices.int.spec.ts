import { uuidV7 } from '@farebox/auth';
import { createLogger } from '@farebox/observability';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { issueClosedMonths } from './handlers';

let db: TestDatabase;
let lines: string[];
beforeEach(async () => {
  db = await createTestDatabase();
  lines = [];
});
afterEach(() => db.drop());

function runJob(): Promise<void> {
  const destination = { write: (line: string) => lines.push(line) };
  return issueClosedMonths({
    longWork: db.workerPool,
    log: createLogger({ service: 'worker', level: 'info', destination }),
  });
}
const logged = (): unknown[] =>
  lines.map((line) => {
    const { event, month, count, postponed } = JSON.parse(line) as Record<string, unknown>;
    return [event, month, count, postponed];
  });

/** The 15th of the UTC month this many months ago. */
function monthsAgo(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15));
}
const nameOf = (months: number): string => monthsAgo(months).toISOString().slice(0, 7);

async function givenCustomer(): Promise<{ accountId: string; apiKeyId: string }> {
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  return { accountId, apiKeyId: await givenApiKey(db.pool, accountId) };
}

it('issues the invoices of every closed month, oldest first, and none of this month', async () => {
  const customer = await givenCustomer();
  for (const months of [5, 3]) await givenPastCharge(db.pool, { ...customer, at: monthsAgo(months) });
  await givenPastCharge(db.pool, { ...customer, at: new Date() });
  await runJob();
  await runJob();
  expect(logged()).toEqual([
    ['invoices_issued', nameOf(5), 1, 0],
    ['invoices_issued', nameOf(3), 1, 0],
  ]);
  expect((await db.pool.query('SELECT FROM invoice')).rowCount).toBe(2);
});

it('issues an invoice delayed by a running request in the first run after its end', async () => {
  const [ada, bob] = [await givenCustomer(), await givenCustomer()];
  for (const customer of [ada, bob]) await givenPastCharge(db.pool, { ...customer, at: monthsAgo(3) });
  await db.pool.query(
    `INSERT INTO hold (id, account_id, api_key_id, gateway_instance_id, amount_nano, model_id, price_version_id, request_id, day,
                       created_at)
     VALUES ($1, $2, $3, $1, 1, 'small', $1, 'req_1', $4::timestamptz, $4)`,
    [uuidV7(), ada.accountId, ada.apiKeyId, monthsAgo(3)],
  );
  await runJob();
  await runJob();
  await db.pool.query('DELETE FROM hold');
  await runJob();
  await runJob();
  expect(logged()).toEqual([
    ['invoices_issued', nameOf(3), 1, 1],
    ['invoices_issued', nameOf(3), 0, 1],
    ['invoices_issued', nameOf(3), 1, 0],
  ]);
});

it('the second of two concurrent runs waits for the first, and finds nothing left', async () => {
  await givenPastCharge(db.pool, { ...(await givenCustomer()), at: monthsAgo(3) });
  const first = await db.workerPool.connect();
  await first.query('BEGIN');
  await first.query('SELECT invoice_issue($1)', [`${nameOf(3)}-01`]);
  let isDone = false;
  const second = runJob().then(() => {
    isDone = true;
  });
  await untilWaiting();
  expect(isDone).toBe(false);
  await first.query('COMMIT');
  first.release();
  await second;
  expect(lines).toEqual([]);
  expect((await db.pool.query('SELECT FROM invoice')).rowCount).toBe(1);
});

async function untilWaiting(): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await db.pool.query(sql)).rowCount === 0) {
    if (Date.now() > deadlineMs) throw new Error('nothing waits');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
