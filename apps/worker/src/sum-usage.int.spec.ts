import { DAY_MS } from '@farebox/flow';
import { verifyLedger } from '@farebox/ledger';
import { createLogger } from '@farebox/observability';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { sumUsage } from './handlers';

const LONGEST_WAIT_MS = 60_000;

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(async () => {
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

it("sums yesterday's usage with a service's rights, logs it, and then finds nothing left", async () => {
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  await givenPastCharge(db.pool, { accountId, apiKeyId, at: new Date(Date.now() - DAY_MS) });
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'worker', level: 'info', destination });

  // Transactions of other tests on this server may be older than the end of the last hour, which then waits
  // for them.
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  while (lines.length === 0) {
    if (Date.now() > deadlineMs) throw new Error('the usage was not summed');
    await sumUsage({ pool: db.workerPool, log });
  }
  expect(lines.join('')).toContain('"event":"usage_summed"');
  const { rows } = await db.pool.query(
    `SELECT requests::int, cost_nano::int FROM usage_sum WHERE grain = 'hour' AND account_id = $1`,
    [accountId],
  );
  expect(rows).toEqual([{ requests: 1, cost_nano: 100 }]);
  expect(lines.join('')).toContain('"event":"sales_summed"');
  const { rows: sold } = await db.pool.query(
    `SELECT requests::int, charged_nano::int FROM sales_by_key WHERE grain = 'hour' AND account_id = $1`,
    [accountId],
  );
  expect(sold).toEqual([{ requests: 1, charged_nano: 100 }]);

  await sumUsage({ pool: db.workerPool, log });
  expect(lines).toHaveLength(2);
});
