import { uuidV7 } from '@farebox/auth';
import { openGatewayLedger, type GatewayLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { givenAccount, givenApiKey } from '@farebox/testing';
import type pg from 'pg';

const HELD = toNanoUsd(60n);
const COST = toNanoUsd(25n);
/** Irrelevant to these tests; generous because the machine stalls while it copies a data folder. */
const PATIENT = { leaseMs: 20_000, admissionTimeoutMs: 60_000, settlementTimeoutMs: 60_000 };
const LANES = 4;

export interface Traffic {
  /** Charges that the database has confirmed. */
  charged(): number;
  /** Places a hold that stays open. */
  hold(): Promise<void>;
  /** Waits for running requests, ends the lease, and leaves the open holds. Throws if any request failed. */
  stop(): Promise<void>;
}

/** A gateway's use of the ledger, request after request, until it is stopped. */
export async function startTraffic(pool: pg.Pool, databaseUrl: string): Promise<Traffic> {
  const accountId = await givenAccount(pool, { balanceNano: 1_000_000_000n, dailyRequestCap: 1_000_000 });
  const apiKeyId = await givenApiKey(pool, accountId);
  const ledger = await openGatewayLedger({
    databaseUrl,
    pool,
    ...PATIENT,
    onLeaseError: () => undefined,
  });
  let stopped = false;
  let charged = 0;
  let failure: Error | undefined;
  const lanes = Array.from({ length: LANES }, async () => {
    try {
      while (!stopped) {
        await charge(ledger, await admit(ledger, accountId, apiKeyId), accountId);
        charged += 1;
      }
    } catch (error) {
      stopped = true;
      failure ??= new Error('the traffic has failed', { cause: error });
    }
  });
  return {
    charged() {
      if (failure) throw failure;
      return charged;
    },
    async hold() {
      await admit(ledger, accountId, apiKeyId);
    },
    async stop() {
      stopped = true;
      await Promise.all(lanes);
      await ledger.close();
      if (failure) throw failure;
    },
  };
}

async function admit(ledger: GatewayLedger, accountId: string, apiKeyId: string): Promise<string> {
  const holdId = uuidV7();
  const ids = { holdId, accountId, apiKeyId, apiKeyVersion: 1, cohortName: 'beta', priceVersionId: uuidV7() };
  const request = { ...ids, amountNano: HELD, mostTokens: 30, modelId: 'small', requestId: 'req_1' };
  const { outcome } = await ledger.admit(request);
  if (outcome !== 'admitted') throw new Error(`not admitted: ${outcome}`);
  return holdId;
}

async function charge(ledger: GatewayLedger, holdId: string, accountId: string): Promise<void> {
  const tokens = { promptTokens: 10, completionTokens: 5 };
  const end = { outcome: 'completed', streamed: false, estimated: false, latencyMs: 1 } as const;
  await ledger.settle({ holdId, accountId, usage: { measuredCostNano: COST, ...tokens, ...end } });
}
