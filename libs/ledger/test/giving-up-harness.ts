import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, givenAccount, givenApiKey, type TestDatabase } from '@farebox/testing';
import { verifyLedger } from '../src/books/verify-ledger';
import { openGatewayLedger, type GatewayLedger, type GatewayLedgerOptions } from '../src/gateway-ledger';
import type { Settlement } from '../src/hold';
import { anAdmission } from './ledger-harness';

/** A ledger whose database can be made to keep it waiting until it gives up. */
export interface GivingUpHarness {
  db: TestDatabase;
  /** Of 80 nano-dollars, of an account that has 100. */
  givenHold(): Promise<{ holdId: string; accountId: string }>;
  /** Settles while the account is locked, until the ledger has given up; answers with what it threw. */
  settleInVain(settlement: Settlement): Promise<unknown>;
  untilNothingIsHeldOpen(): Promise<void>;
  /** Checks the books. */
  close(): Promise<void>;
}

export async function openGivingUpHarness(
  options: Pick<GatewayLedgerOptions, 'handOver' | 'handOverGraceMs'> = {},
): Promise<GivingUpHarness> {
  const db = await createTestDatabase();
  const ledger = await openGatewayLedger({
    databaseUrl: db.serviceUrl,
    pool: db.servicePool,
    settlementTimeoutMs: 300,
    onLeaseError: (error) => {
      throw error;
    },
    ...options,
  });
  return {
    db,
    givenHold: () => givenHold(db, ledger),
    settleInVain: (settlement) => settleInVain(db, ledger, settlement),
    async untilNothingIsHeldOpen() {
      while ((await db.pool.query('SELECT 1 FROM hold')).rowCount !== 0) await sleep(20);
    },
    async close() {
      await ledger.close();
      expect((await verifyLedger(db.pool)).differences).toEqual([]);
      await db.drop();
    },
  };
}

async function givenHold(
  { pool }: TestDatabase,
  ledger: GatewayLedger,
): Promise<{ holdId: string; accountId: string }> {
  const accountId = await givenAccount(pool, { balanceNano: 100n });
  const admission = anAdmission({ accountId, apiKeyId: await givenApiKey(pool, accountId) }, 80n);
  expect(await ledger.admit(admission)).toEqual({ outcome: 'admitted' });
  return { holdId: admission.holdId, accountId };
}

/** Until the call that was on its way has ended, too. */
async function settleInVain(
  { pool }: TestDatabase,
  ledger: GatewayLedger,
  settlement: Settlement,
): Promise<unknown> {
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM account_funds WHERE account_id = $1 FOR UPDATE', [settlement.accountId]);
  const thrown = await ledger.settle(settlement).catch((error: unknown) => error);
  while (await isCallOnItsWay(pool)) await sleep(5);
  await client.query('ROLLBACK');
  client.release();
  return thrown;
}

async function isCallOnItsWay(pool: TestDatabase['pool']): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'farebox-ledger' AND wait_event_type = 'Lock'`,
  );
  return rowCount !== 0;
}
