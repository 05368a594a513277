import { PATIENT_LEDGER } from '@farebox/testing';
import { uuidV7 } from '@farebox/auth';
import { openGatewayLedger, type Usage } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { applyCatalog, parseCatalog } from '@farebox/catalog';
import type { Pool } from 'pg';
import { openAccountHarness, type AccountHarness } from './account-harness';

interface ChargedRequest extends Partial<Omit<Usage, 'measuredCostNano'>> {
  accountId: string;
  apiKeyId: string;
  modelId?: string;
  requestId?: string;
  costNano?: bigint;
}

/** The running service, and a gateway's ledger that charges requests now. */
export interface UsageHarness extends AccountHarness {
  /** A request that was admitted and charged. Returns the id of its hold. */
  charge(request: ChargedRequest): Promise<string>;
}

const USAGE = {
  promptTokens: 10,
  completionTokens: 20,
  outcome: 'completed',
  streamed: false,
  estimated: false,
} as const;

export async function openUsageHarness(): Promise<UsageHarness> {
  const harness = await openAccountHarness();
  const gateway = await openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: harness.serviceUrl,
    pool: harness.pool,
    onLeaseError: (error) => {
      throw error;
    },
  });
  return {
    ...harness,
    async charge({ accountId, apiKeyId, modelId = 'small', requestId = 'req_1', costNano = 30n, ...usage }) {
      const holdId = uuidV7();
      const request = {
        holdId,
        accountId,
        apiKeyId,
        apiKeyVersion: 1,
        cohortName: 'beta',
        priceVersionId: uuidV7(),
      };
      const admission = { ...request, amountNano: toNanoUsd(costNano), mostTokens: 30, modelId, requestId };
      expect(await gateway.admit(admission)).toEqual({ outcome: 'admitted' });
      const measured = { ...USAGE, latencyMs: 900, measuredCostNano: toNanoUsd(costNano), ...usage };
      expect(await gateway.settle({ holdId, accountId, usage: measured })).toBe('resolved');
      return holdId;
    },
    async close() {
      await gateway.close();
      await harness.close();
    },
  };
}

/** The lines of a CSV answer in which no value needs quotes. */
export function csvLines(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true);
  return text
    .slice(0, -2)
    .split('\r\n')
    .map((line) => line.split(','));
}

export const AS_CSV = { headers: { accept: 'text/csv' } };

/** The audience of a model: `public`, `disabled`, or `{ cohorts: [beta] }`. */
type GivenModels = Readonly<Record<string, string>>;

/** Makes these models the catalogue, by their ids; models of the previous catalogue are disabled. */
export async function givenModels(pool: Pool, models: GivenModels): Promise<void> {
  const lines = Object.entries(models).map(
    ([id, visibility]) =>
      `  - { id: ${id}, routes: [{ upstream: sim, model: x }], input_price: 1, output_price: 2, ` +
      `context_window: 8192, max_output_tokens: 4096, visibility: ${visibility} }`,
  );
  const text = ['upstreams:', '  - { id: sim, base_url: "http://127.0.0.1:9/v1" }', 'models:', ...lines];
  await applyCatalog(pool, parseCatalog(text.join('\n'), {}));
}
