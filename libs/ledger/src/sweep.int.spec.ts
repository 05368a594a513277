import { uuidV7 } from '@farebox/auth';
import { toNanoUsd } from '@farebox/money';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  type TestDatabase,
  PATIENT_LEDGER,
} from '@farebox/testing';
import { readBalance } from './account-funds';
import { verifyLedger } from './books/verify-ledger';
import { openGatewayLedger } from './gateway-ledger';
import { sweepAbandonedHolds } from './lease';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(async () => {
  await db.drop();
});

async function aGatewayWithAHold(leaseMs: number) {
  const ledger = await openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: db.serviceUrl,
    pool: db.servicePool,
    leaseMs,
    onLeaseError: () => undefined,
  });
  const accountId = await givenAccount(db.pool, { balanceNano: 100n });
  const holdId = uuidV7();
  const admission = {
    holdId,
    accountId,
    apiKeyId: await givenApiKey(db.pool, accountId),
    apiKeyVersion: 1,
    cohortName: 'beta',
  };
  const rest = {
    ...{ amountNano: toNanoUsd(60n), mostTokens: 30 },
    modelId: 'small',
    priceVersionId: uuidV7(),
    requestId: 'req_1',
  };
  expect(await ledger.admit({ ...admission, ...rest })).toEqual({ outcome: 'admitted' });
  return { ledger, accountId, holdId };
}

describe('the sweep', () => {
  it('leaves the holds of a gateway that renews its lease', async () => {
    const { ledger, accountId, holdId } = await aGatewayWithAHold(30_000);
    expect(await sweepAbandonedHolds(db.workerPool)).toBe(0);
    expect((await readBalance(db.pool, accountId)).heldNano).toBe(60n);
    await ledger.settle({ holdId, accountId });
    await ledger.close();
  });

  it('releases the holds of a gateway that is gone, with a review, once', async () => {
    const { ledger, accountId, holdId } = await aGatewayWithAHold(30_000);
    await ledger.close();

    const swept = await Promise.all([sweepAbandonedHolds(db.workerPool), sweepAbandonedHolds(db.workerPool)]);
    expect(swept.reduce((sum, count) => sum + count)).toBe(1);
    expect(await readBalance(db.pool, accountId)).toEqual({
      balanceNano: 100n,
      heldNano: 0n,
      availableNano: 100n,
    });
    const { rows } = await db.pool.query('SELECT reason, state FROM billing_review WHERE id = $1', [holdId]);
    expect(rows).toEqual([{ reason: 'gateway_lost', state: 'open' }]);
    expect((await verifyLedger(db.pool)).differences).toEqual([]);
  });

  it('makes a late charge find nothing', async () => {
    const { ledger, accountId, holdId } = await aGatewayWithAHold(30_000);
    await db.pool.query('UPDATE gateway_instance SET lease_expires_at = clock_timestamp()');
    expect(await sweepAbandonedHolds(db.workerPool)).toBe(1);
    expect(await ledger.settle({ holdId, accountId })).toBe('not_held');
    await ledger.close();
  });

  it('purges a gateway only when it is long gone', async () => {
    await db.pool.query(
      `UPDATE gateway_instance SET lease_expires_at = clock_timestamp() - interval '25 hours'`,
    );
    await sweepAbandonedHolds(db.workerPool);
    const { rows } = await db.pool.query('SELECT count(*)::int AS count FROM gateway_instance');
    expect(rows).toEqual([{ count: 0 }]);
  });
});
