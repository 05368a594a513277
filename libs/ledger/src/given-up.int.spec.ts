import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, givenAccount, givenApiKey, type TestDatabase } from '@farebox/testing';
import { readBalance } from './account-funds';
import { openGatewayLedger, type GatewayLedger } from './gateway-ledger';
import { anAdmission, aUsage } from './ledger.stand';
import { LedgerUnavailableError } from './ledger-error';
import { listReviews } from './reviews';
import { verifyLedger } from './verify';

let db: TestDatabase;
let ledger: GatewayLedger;
beforeAll(async () => {
  db = await createTestDatabase();
  ledger = await openGatewayLedger({
    databaseUrl: db.serviceUrl,
    pool: db.servicePool,
    settlementTimeoutMs: 300,
    onLeaseError: (error) => {
      throw error;
    },
  });
});
afterAll(async () => {
  await ledger.close();
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

async function givenHold(): Promise<{ holdId: string; accountId: string }> {
  const accountId = await givenAccount(db.pool, { balanceNano: 100n });
  const admission = anAdmission({ accountId, apiKeyId: await givenApiKey(db.pool, accountId) }, 80n);
  expect(await ledger.admit(admission)).toEqual({ outcome: 'admitted' });
  return { holdId: admission.holdId, accountId };
}

/** Does something while the account is locked, as it is to a ledger whose database does not answer. */
async function whileLocked<T>(accountId: string, action: () => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM account_funds WHERE account_id = $1 FOR UPDATE', [accountId]);
    return await action();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

async function untilNothingIsHeldOpen(): Promise<void> {
  while ((await db.pool.query('SELECT 1 FROM hold')).rowCount !== 0) await sleep(20);
}

describe('what the ledger gave up because the database did not answer', () => {
  it('a charge: becomes a review that reserves what was measured', async () => {
    const { holdId, accountId } = await givenHold();
    const charged = whileLocked(accountId, () => ledger.settle({ holdId, accountId, usage: aUsage(30n) }));
    await expect(charged).rejects.toBeInstanceOf(LedgerUnavailableError);

    await untilNothingIsHeldOpen();
    expect(await listReviews(db.pool, { limit: 10, accountId })).toMatchObject([
      { id: holdId, reason: 'charge_failed', state: 'open', heldNano: 80n, reservedNano: 30n },
    ]);
    expect(await readBalance(db.pool, accountId)).toMatchObject({ balanceNano: 100n, heldNano: 30n });
  });

  it('a release: is done when the database answers again', async () => {
    const { holdId, accountId } = await givenHold();
    const released = whileLocked(accountId, () => ledger.settle({ holdId, accountId }));
    await expect(released).rejects.toBeInstanceOf(LedgerUnavailableError);

    await untilNothingIsHeldOpen();
    expect(await listReviews(db.pool, { limit: 10, accountId })).toEqual([]);
    expect(await readBalance(db.pool, accountId)).toMatchObject({ balanceNano: 100n, heldNano: 0n });
  });
});
