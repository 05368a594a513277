import { uuidV7 } from '@farebox/auth';
import { openGatewayLedger, type AdmissionResult } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { givenAccount, givenApiKey, type TestDatabase, PATIENT_LEDGER } from '@farebox/testing';

/** A gateway's ledger, and an account whose requests carry Idempotency-Keys. */
export interface AnswersHarness {
  /** Requests a hold for a request with this key. */
  admit(key: string): Promise<{ holdId: string; result: AdmissionResult }>;
  /** A charged request whose response is kept under this key. Returns the id of its hold. */
  givenAnswer(key: string): Promise<string>;
  /** Makes the responses expire. */
  lapse(...keys: string[]): Promise<void>;
  /** The kept response. */
  readAnswer(holdId: string, key: string): Promise<string | undefined>;
  close(): Promise<void>;
}

export async function openAnswersHarness(db: TestDatabase): Promise<AnswersHarness> {
  const { pool, servicePool, serviceUrl } = db;
  const ledger = await openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: serviceUrl,
    pool: servicePool,
    onLeaseError: () => undefined,
  });
  const accountId = await givenAccount(pool, { balanceNano: 1_000n });
  const apiKeyId = await givenApiKey(pool, accountId);
  const ids = { accountId, apiKeyId, apiKeyVersion: 1, cohortName: 'beta', priceVersionId: uuidV7() };

  async function admit(key: string): Promise<{ holdId: string; result: AdmissionResult }> {
    const holdId = uuidV7();
    const idempotency = { key, fingerprint: Buffer.alloc(32, 7) };
    const request = { ...ids, holdId, modelId: 'small', requestId: `req_${key}`, idempotency };
    return { holdId, result: await ledger.admit({ ...request, amountNano: toNanoUsd(60n), mostTokens: 30 }) };
  }

  return {
    admit,
    async givenAnswer(key) {
      const { holdId } = await admit(key);
      const usage = { ...USAGE, answer: Buffer.from(`answer of ${key}`) };
      expect(await ledger.settle({ holdId, accountId, usage })).toBe('resolved');
      return holdId;
    },
    async lapse(...keys) {
      const sql = 'UPDATE idempotency_claim SET expires_at = clock_timestamp() WHERE key = ANY ($1)';
      expect((await pool.query(sql, [keys])).rowCount).toBe(keys.length);
    },
    async readAnswer(holdId, key) {
      const answer = await ledger.readAnswer({ accountId, apiKeyId, key, holdId });
      return answer?.kind === 'whole' ? Buffer.from(answer.bytes).toString() : undefined;
    },
    close: () => ledger.close(),
  };
}

const USAGE = {
  measuredCostNano: toNanoUsd(45n),
  promptTokens: 11,
  completionTokens: 7,
  outcome: 'completed',
  streamed: false,
  estimated: false,
  latencyMs: 20,
} as const;
