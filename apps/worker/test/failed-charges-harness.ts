import { createHash } from 'node:crypto';
import { uuidV7 } from '@farebox/auth';
import type { JobPayload } from '@farebox/jobs';
import { openGatewayLedger, verifyLedger, type GatewayLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  type TestDatabase,
  PATIENT_LEDGER,
} from '@farebox/testing';

export type FailedCharge = JobPayload<'reconcile-charge'>;

/** The balance of an account, the hold of its request, and the request's measured usage. */
export const BALANCE_NANO = 100n;
const HELD_NANO = 60n;
export const MEASURED_NANO = 45n;

/** Requests whose charge could not be recorded. */
export interface FailedChargesHarness {
  db: TestDatabase;
  /** The gateway of the requests. */
  gateway: GatewayLedger;
  /** With an Idempotency-Key if one is given. */
  givenFailedCharge(streamed: boolean, idempotencyKey?: string): Promise<FailedCharge>;
  /** The state of an account as visible from outside. */
  read(accountId: string): Promise<AccountBooks>;
  close(): Promise<void>;
}

interface AccountBooks {
  reviews: { reason: string; state: string; resolved_by: string | null; note: string | null }[];
  balanceNano: bigint;
  heldNano: bigint;
  charges: number;
  refunds: number;
}

/** Checks the books when it is closed. */
export async function openFailedChargesHarness(): Promise<FailedChargesHarness> {
  const db = await createTestDatabase();
  const gateway = await openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: db.serviceUrl,
    pool: db.servicePool,
    onLeaseError: () => undefined,
  });
  return {
    db,
    gateway,
    async givenFailedCharge(streamed, key) {
      const accountId = await givenAccount(db.pool, { balanceNano: BALANCE_NANO });
      const apiKeyId = await givenApiKey(db.pool, accountId);
      const ids = {
        holdId: uuidV7(),
        accountId,
        apiKeyId,
        apiKeyVersion: 1,
        cohortName: 'beta',
        priceVersionId: uuidV7(),
      };
      const request = {
        amountNano: toNanoUsd(HELD_NANO),
        mostTokens: 30,
        modelId: 'small',
        requestId: 'req_1',
      };
      const fingerprint = createHash('sha256').digest();
      const admission = {
        ...ids,
        ...request,
        idempotency: key === undefined ? undefined : { key, fingerprint },
      };
      expect(await gateway.admit(admission)).toEqual({ outcome: 'admitted' });
      return { holdId: ids.holdId, accountId, usage: usageOf(streamed) };
    },
    read: (accountId) => readBooks(db, accountId),
    async close() {
      await gateway.close();
      expect((await verifyLedger(db.pool)).differences).toEqual([]);
      await db.drop();
    },
  };
}

function usageOf(streamed: boolean): FailedCharge['usage'] {
  return {
    measuredCostNano: toNanoUsd(MEASURED_NANO),
    promptTokens: 11,
    completionTokens: 7,
    outcome: 'completed',
    streamed,
    estimated: false,
    latencyMs: 20,
    firstTokenMs: 5,
  };
}

async function readBooks({ pool }: TestDatabase, accountId: string): Promise<AccountBooks> {
  const reviews = await pool.query<AccountBooks['reviews'][number]>(
    'SELECT reason, state, resolved_by, note FROM billing_review WHERE account_id = $1',
    [accountId],
  );
  const funds = await pool.query<{
    balance_nano: string;
    held_nano: string;
    charges: number;
    refunds: number;
  }>(
    `SELECT balance_nano::text, held_nano::text,
            (SELECT count(*)::int FROM ledger_entry WHERE account_id = $1 AND kind = 'charge') AS charges,
            (SELECT count(*)::int FROM ledger_entry WHERE account_id = $1 AND kind = 'refund') AS refunds
     FROM account_funds WHERE account_id = $1`,
    [accountId],
  );
  const [row] = funds.rows;
  if (!row) throw new Error('the account has no funds');
  return {
    reviews: reviews.rows,
    balanceNano: BigInt(row.balance_nano),
    heldNano: BigInt(row.held_nano),
    charges: row.charges,
    refunds: row.refunds,
  };
}
