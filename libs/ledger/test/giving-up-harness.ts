import { setTimeout as sleep } from 'node:timers/promises';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  type TestDatabase,
  PATIENT_LEDGER,
} from '@farebox/testing';
import { verifyLedger } from '../src/books/verify-ledger';
import { openGatewayLedger, type GatewayLedger, type GatewayLedgerOptions } from '../src/gateway-ledger';
import type { Settlement } from '../src/hold';
import { anAdmission, isCallWaiting } from './ledger-harness';

/** A ledger whose database can be delayed until the ledger gives up. */
export interface GivingUpHarness {
  db: TestDatabase;
  /** A hold of 80 nano-dollars on an account with 100. */
  givenHold(): Promise<{ holdId: string; accountId: string }>;
  /** Settles while the account is locked, until the ledger gives up. Returns the error. */
  settleUntilGivenUp(settlement: Settlement): Promise<unknown>;
  untilNothingIsHeldOpen(): Promise<void>;
  /** Checks the books. */
  close(): Promise<void>;
}

const GIVES_UP_MS = 300;
/** A stalled machine keeps it from connecting in time. */
const MAX_TRIES = 100;

export async function openGivingUpHarness(
  options: Pick<GatewayLedgerOptions, 'handOver' | 'handOverGraceMs'> = {},
): Promise<GivingUpHarness> {
  const db = await createTestDatabase();
  const open = (times: Pick<GatewayLedgerOptions, 'settlementTimeoutMs'>) =>
    openGatewayLedger({
      databaseUrl: db.serviceUrl,
      pool: db.servicePool,
      ...PATIENT_LEDGER,
      ...times,
      onLeaseError: (error) => {
        throw error;
      },
      ...options,
    });
  // Another ledger places the holds: the impatient one also gives up on connections early.
  const patient = await open({});
  const ledger = await untilOpen(() => open({ settlementTimeoutMs: GIVES_UP_MS }));
  return {
    db,
    givenHold: () => givenHold(db, patient),
    settleUntilGivenUp: (settlement) => settleUntilGivenUp(db, ledger, settlement),
    async untilNothingIsHeldOpen() {
      while ((await db.pool.query('SELECT 1 FROM hold')).rowCount !== 0) await sleep(20);
    },
    async close() {
      await Promise.all([ledger.close(), patient.close()]);
      expect((await verifyLedger(db.pool)).differences).toEqual([]);
      await db.drop();
    },
  };
}

async function untilOpen(open: () => Promise<GatewayLedger>): Promise<GatewayLedger> {
  for (let tries = 1; ; tries++) {
    try {
      return await open();
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      await sleep(GIVES_UP_MS);
    }
  }
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

/** Also waits until the abandoned call has ended. */
async function settleUntilGivenUp(
  { pool }: TestDatabase,
  ledger: GatewayLedger,
  settlement: Settlement,
): Promise<unknown> {
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM account_funds WHERE account_id = $1 FOR UPDATE', [settlement.accountId]);
  const thrown = await ledger.settle(settlement).catch((error: unknown) => error);
  while (await isCallWaiting(pool)) await sleep(5);
  await client.query('ROLLBACK');
  client.release();
  return thrown;
}
