import { listIssuedInvoices, listOpenMonths } from '@farebox/billing';
import { verifyLedger } from '@farebox/ledger';
import { createTestDatabase, startTestRedis, type TestDatabase } from '@farebox/testing';
import { givenManyCustomers } from '../test/many-customers';
import { startWorker } from '../test/worker-harness';

const ACCOUNTS = 10_000;
const MODELS = 3;
/** Time limit of the whole test, on a busy machine. */
const LONGEST_TEST_MS = 180_000;

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

/** The first day of the UTC month before last, which is closed at any hour. */
function closedMonth(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1)).toISOString().slice(0, 10);
}

const isComplete = async (month: string): Promise<boolean> =>
  (await db.pool.query('SELECT FROM invoice_month WHERE month = $1', [month])).rowCount === 1;

async function oneRow(sql: string): Promise<unknown> {
  return (await db.pool.query<Record<string, unknown>>(sql)).rows[0];
}

it(
  'two workers that end a month of 10,000 accounts concurrently issue each invoice once, without a gap',
  async () => {
    const month = closedMonth();
    await givenManyCustomers(db, { accounts: ACCOUNTS, models: MODELS, month });

    // Each has its own queue, so that both do the job, as if the queue had delivered it twice.
    const redis = await startTestRedis();
    const startedMs = performance.now();
    const workers = await Promise.all([startWorker(db, { REDIS_URL: redis.url }), startWorker(db, {})]);
    for (const worker of workers) await worker.until(() => isComplete(month));
    const tookMs = performance.now() - startedMs;
    await Promise.all(workers.map((worker) => worker.close()));
    await redis.remove();
    process.stdout.write(`invoices of ${String(ACCOUNTS)} accounts: ${(tookMs / 1_000).toFixed(1)} s\n`);

    const logs = workers.map((worker) => worker.log()).join('');
    expect(logs.match(/"event":"invoices_issued".*?"count":10000,"postponed":0/g)).toHaveLength(1);
    expect(logs).not.toMatch(/"event":"job_(failed|given_up)","job":"issue-invoices"/);
    expect(
      await oneRow(`SELECT count(*)::int, count(DISTINCT account_id)::int AS accounts, count(DISTINCT number)::int AS numbers,
                         min(sequence), max(sequence), sum(total_nano)::int AS total FROM invoice`),
    ).toEqual({
      ...{ count: ACCOUNTS, accounts: ACCOUNTS, numbers: ACCOUNTS, min: 1, max: ACCOUNTS },
      ...((await oneRow(
        `SELECT sum(amount_nano)::int AS total FROM ledger_entry WHERE kind = 'charge'`,
      )) as object),
    });
    expect(
      await oneRow(
        `SELECT count(*)::int FROM invoice i
     JOIN (SELECT account_id, sum(amount_nano) AS charged FROM ledger_entry WHERE kind = 'charge' GROUP BY 1) e USING (account_id)
     JOIN (SELECT account_id, count(*) AS lines, sum(amount_nano) AS sum FROM invoice_line GROUP BY 1) l USING (account_id)
     WHERE i.total_nano = charged AND sum = charged AND lines = ${String(MODELS)} AND top_ups_nano = 10000`,
      ),
    ).toEqual({ count: ACCOUNTS });
    expect((await listIssuedInvoices(db.pool, { limit: 1 }))[0]?.number).toBe(
      `INV-${month.slice(0, 4)}-010000`,
    );
    expect(await listOpenMonths(db.pool)).not.toContain(month);
    expect((await verifyLedger(db.pool)).differences).toEqual([]);
  },
  LONGEST_TEST_MS,
);
