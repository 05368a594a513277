import { uuidV7 } from '@farebox/auth';
import { openGatewayLedger, readBalance, verifyLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { createLogger } from '@farebox/observability';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  startTestRedis,
  type TestDatabase,
  PATIENT_LEDGER,
} from '@farebox/testing';
import { compose } from './compose';
import { readConfig } from './config';
import { openAnswersHarness } from '../test/kept-answers-harness';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(async () => {
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

/** A hold of a dead gateway. */
async function givenAbandonedHold(): Promise<string> {
  const accountId = await givenAccount(db.pool, { balanceNano: 100n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  const ledger = await openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: db.serviceUrl,
    pool: db.servicePool,
    onLeaseError: () => undefined,
  });
  const ids = {
    holdId: uuidV7(),
    accountId,
    apiKeyId,
    apiKeyVersion: 1,
    cohortName: 'beta',
    priceVersionId: uuidV7(),
  };
  await ledger.admit({
    ...ids,
    amountNano: toNanoUsd(60n),
    mostTokens: 30,
    modelId: 'small',
    requestId: 'req_1',
  });
  await ledger.close();
  return accountId;
}

const LONGEST_WAIT_MS = 60_000;

/** Runs a worker until `isDone`. Returns its log. */
async function runWorker(redisUrl: string | undefined, isDone: () => Promise<boolean>): Promise<string> {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'worker', level: 'info', destination });
  const queue = redisUrl === undefined ? {} : { REDIS_URL: redisUrl };
  const { config } = readConfig({ DATABASE_URL: db.workerUrl, ...queue });
  const worker = await compose(config, log);
  try {
    const deadlineMs = Date.now() + LONGEST_WAIT_MS;
    while (!(await isDone())) {
      if (Date.now() > deadlineMs) throw new Error(`the worker did not do it:\n${lines.join('')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await worker.close();
  }
  return lines.join('');
}

it.each(['redis', 'postgres'])(
  'a worker with its queue in %s releases the holds of a dead gateway, and logs it',
  async (kind) => {
    const accountId = await givenAbandonedHold();
    const redis = kind === 'redis' ? await startTestRedis() : undefined;
    const log = await runWorker(
      redis?.url,
      async () => (await readBalance(db.pool, accountId)).heldNano === 0n,
    );
    expect(log).toContain('"event":"holds_swept","count":1');
    const { rows } = await db.pool.query('SELECT reason FROM billing_review');
    expect(rows).toEqual([{ reason: 'gateway_lost' }]);
    await redis?.remove();
  },
);

it('a worker deletes expired stored responses', async () => {
  const harness = await openAnswersHarness(db);
  const [old, kept] = [await harness.givenAnswer('old'), await harness.givenAnswer('kept')];
  await harness.lapse('old');
  const log = await runWorker(undefined, async () => (await harness.readAnswer(old, 'old')) === undefined);
  expect(await harness.readAnswer(kept, 'kept')).toBe('answer of kept');
  expect(log).toContain('"event":"answers_purged","count":1');
  await harness.close();
});
