import { verifyLedger } from '@farebox/ledger';
import { createLogger } from '@farebox/observability';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { forgetRequests } from './forget-requests';

let db: TestDatabase;
let lines: string[];
beforeEach(async () => {
  db = await createTestDatabase();
  lines = [];
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  const now = new Date();
  for (const months of [20, 14, 13, 0]) {
    const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
    await givenPastCharge(db.pool, { accountId, apiKeyId, at });
  }
  await verifyLedger(db.workerPool);
});
afterEach(async () => {
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

function runJob(months: number | undefined): Promise<void> {
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'worker', level: 'info', destination });
  return forgetRequests({ pool: db.workerPool, log, months });
}
const recordsLeft = async (): Promise<number | null> =>
  (await db.pool.query('SELECT FROM usage_record')).rowCount;

it('deletes the records of requests from before the months that are kept, once, and logs how many', async () => {
  await runJob(13);
  await runJob(13);
  expect(await recordsLeft()).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"event":"requests_forgotten","count":2');
});

it('deletes none where they are kept for ever', async () => {
  await runJob(undefined);
  expect(await recordsLeft()).toBe(4);
  expect(lines).toEqual([]);
});
