import { uuidV7 } from '@farebox/ids';
import { openGatewayLedger, readBalance, verifyLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { createLogger } from '@farebox/observability';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  testRedisUrl,
  type TestDatabase,
} from '@farebox/testing';
import { compose } from './compose';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(async () => {
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

/** A hold whose gateway is gone. */
async function givenAbandonedHold(): Promise<string> {
  const accountId = await givenAccount(db.pool, { balanceNano: 100n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  const ledger = await openGatewayLedger({
    databaseUrl: db.url,
    pool: db.pool,
    onLeaseError: () => undefined,
  });
  const ids = { holdId: uuidV7(), accountId, apiKeyId, apiKeyVersion: 1, priceVersionId: uuidV7() };
  await ledger.admit({ ...ids, amountNano: toNanoUsd(60n), modelId: 'small', requestId: 'req_1' });
  await ledger.close();
  return accountId;
}

const LONGEST_WAIT_MS = 20_000;

it.each(['redis', 'postgres'])(
  'a worker with its queue in %s gives back what a gateway left held, and logs that it did',
  async (kind) => {
    const accountId = await givenAbandonedHold();
    const lines: string[] = [];
    const log = createLogger({
      service: 'worker',
      level: 'info',
      destination: { write: (line) => lines.push(line) },
    });
    const redisUrl = kind === 'redis' ? `${testRedisUrl()}/7` : undefined;
    const worker = await compose({ databaseUrl: db.url, redisUrl, logLevel: 'info' }, log);
    const deadlineMs = Date.now() + LONGEST_WAIT_MS;
    while ((await readBalance(db.pool, accountId)).heldNano > 0n) {
      if (Date.now() > deadlineMs) throw new Error(`the hold was not swept:\n${lines.join('')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await worker.close();
    expect(lines.join('')).toContain('"event":"holds_swept","count":1');
    const { rows } = await db.pool.query('SELECT reason FROM billing_review');
    expect(rows).toEqual([{ reason: 'gateway_lost' }]);
  },
);
