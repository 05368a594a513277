import { uuidV7 } from '@farebox/auth';
import type { JobPayload } from '@farebox/jobs';
import { openGatewayLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { givenAccount, givenApiKey, type TestDatabase, PATIENT_LEDGER } from '@farebox/testing';

/** A hold, and the charge that a gateway would have made for it. `isAbandoned`: the gateway is dead. */
export async function openHold(
  db: TestDatabase,
  { isAbandoned }: { isAbandoned: boolean },
): Promise<JobPayload<'reconcile-charge'>> {
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  const ledger = await openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: db.serviceUrl,
    pool: db.servicePool,
    onLeaseError: () => undefined,
  });
  const ids = {
    holdId: uuidV7(),
    accountId,
    apiKeyId,
    apiKeyVersion: 1,
    cohortName: 'beta',
    priceVersionId: uuidV7(),
  };
  await ledger.admit({
    ...ids,
    amountNano: toNanoUsd(60n),
    mostTokens: 30,
    modelId: 'small',
    requestId: 'req_1',
  });
  await ledger.close();
  if (!isAbandoned)
    await db.pool.query(`UPDATE gateway_instance SET lease_expires_at = now() + interval '1 hour'`);
  return {
    holdId: ids.holdId,
    accountId,
    usage: {
      measuredCostNano: toNanoUsd(45n),
      promptTokens: 11,
      completionTokens: 7,
      outcome: 'completed',
      streamed: true,
      estimated: false,
      latencyMs: 20,
    },
  };
}
