import { uuidV7 } from '@farebox/auth';
import { toNanoUsd } from '@farebox/money';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  type TestDatabase,
  PATIENT_LEDGER,
} from '@farebox/testing';
import type pg from 'pg';
import { verifyLedger } from '../src/books/verify-ledger';
import { openGatewayLedger, type GatewayLedger, type GatewayLedgerOptions } from '../src/gateway-ledger';
import type { Admission, Usage } from '../src/hold';

/** A gateway's ledger with its own database, for integration tests. */
export interface LedgerHarness {
  db: TestDatabase;
  ledger: GatewayLedger;
  /** An account with this balance, and one of its keys. */
  givenCustomer(balanceNano: bigint): Promise<{ accountId: string; apiKeyId: string }>;
  /** Closes everything, and checks the books. */
  close(): Promise<void>;
}

export async function openLedgerHarness(
  options: Partial<
    Pick<
      GatewayLedgerOptions,
      'keptBytesPerAccount' | 'admissionTimeoutMs' | 'settlementTimeoutMs' | 'onDiskFull'
    >
  > = {},
  wrapPool = (pool: pg.Pool): pg.Pool => pool,
): Promise<LedgerHarness> {
  const db = await createTestDatabase();
  const ledger = await openGatewayLedger({
    databaseUrl: db.serviceUrl,
    pool: wrapPool(db.servicePool),
    ...PATIENT_LEDGER,
    ...options,
    onLeaseError: (error) => {
      throw error;
    },
  });
  return {
    db,
    ledger,
    async givenCustomer(balanceNano) {
      const accountId = await givenAccount(db.pool, { balanceNano });
      return { accountId, apiKeyId: await givenApiKey(db.pool, accountId) };
    },
    async close() {
      await ledger.close();
      expect((await verifyLedger(db.pool)).differences).toEqual([]);
      await db.drop();
    },
  };
}

export function anAdmission(
  { accountId, apiKeyId }: { accountId: string; apiKeyId: string },
  amountNano: bigint,
  more: Partial<Admission> = {},
): Admission {
  return {
    holdId: uuidV7(),
    accountId,
    apiKeyId,
    apiKeyVersion: 1,
    cohortName: 'beta',
    amountNano: toNanoUsd(amountNano),
    mostTokens: 30,
    modelId: 'small',
    priceVersionId: uuidV7(),
    requestId: 'req-"quoted", NULL',
    ...more,
  };
}

export function aUsage(measuredCostNano: bigint, more: Partial<Usage> = {}): Usage {
  return {
    measuredCostNano: toNanoUsd(measuredCostNano),
    promptTokens: 10,
    completionTokens: 20,
    outcome: 'completed',
    streamed: false,
    estimated: false,
    latencyMs: 12,
    ...more,
  };
}

/** Whether a ledger call of a gateway waits for another transaction's lock. */
export async function isCallWaiting(pool: TestDatabase['pool']): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'farebox-ledger' AND wait_event_type = 'Lock'`,
  );
  return rowCount !== 0;
}
