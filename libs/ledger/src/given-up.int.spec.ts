import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, givenAccount, givenApiKey, type TestDatabase } from '@farebox/testing';
import { readBalance } from './account-funds';
import { openGatewayLedger, type GatewayLedger } from './gateway-ledger';
import { anAdmission, aUsage } from './ledger.stand';
import { LedgerUnavailableError } from './ledger-error';
import { listReviews } from './reviews';
import type { Settlement } from './settlement';
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

/** Settles while the account is locked, until the ledger has given up and ended the call that was on its way. */
async function settleInVain(settlement: Settlement): Promise<void> {
  const client = await db.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM account_funds WHERE account_id = $1 FOR UPDATE', [settlement.accountId]);
  await expect(ledger.settle(settlement)).rejects.toBeInstanceOf(LedgerUnavailableError);
  while (await isCallOnItsWay()) await sleep(5);
  await client.query('ROLLBACK');
  client.release();
}

async function isCallOnItsWay(): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'farebox-ledger' AND wait_event_type = 'Lock'`,
  );
  return rowCount !== 0;
}

async function untilNothingIsHeldOpen(): Promise<void> {
  while ((await db.pool.query('SELECT 1 FROM hold')).rowCount !== 0) await sleep(20);
}

describe('what the ledger gave up because the database did not answer', () => {
  it('a charge: becomes a review that reserves what was measured', async () => {
    const { holdId, accountId } = await givenHold();
    await settleInVain({ holdId, accountId, usage: aUsage(30n) });
    await untilNothingIsHeldOpen();
    expect(await listReviews(db.pool, { limit: 10, accountId })).toMatchObject([
      { id: holdId, reason: 'charge_failed', state: 'open', heldNano: 80n, reservedNano: 30n },
    ]);
    expect(await readBalance(db.pool, accountId)).toMatchObject({ balanceNano: 100n, heldNano: 30n });
  });

  it('a release: is done when the database answers again', async () => {
    const { holdId, accountId } = await givenHold();
    await settleInVain({ holdId, accountId });
    await untilNothingIsHeldOpen();
    expect(await listReviews(db.pool, { limit: 10, accountId })).toEqual([]);
    expect(await readBalance(db.pool, accountId)).toMatchObject({ balanceNano: 100n, heldNano: 0n });
  });
});
