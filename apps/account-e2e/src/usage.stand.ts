import { uuidV7 } from '@farebox/auth';
import { openGatewayLedger, type Usage } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { openAccountStand, type AccountStand } from './account-stand';

export interface ChargedRequest extends Partial<Omit<Usage, 'measuredCostNano'>> {
  accountId: string;
  apiKeyId: string;
  modelId?: string;
  requestId?: string;
  costNano?: bigint;
}

/** The running service, and a gateway's ledger that charges requests now. */
export interface UsageStand extends AccountStand {
  /** A request that was admitted and charged. Answers with the id of its hold. */
  charge(request: ChargedRequest): Promise<string>;
}

const USAGE = {
  promptTokens: 10,
  completionTokens: 20,
  outcome: 'completed',
  streamed: false,
  estimated: false,
} as const;

export async function openUsageStand(): Promise<UsageStand> {
  const stand = await openAccountStand();
  const gateway = await openGatewayLedger({
    databaseUrl: stand.serviceUrl,
    pool: stand.pool,
    onLeaseError: (error) => {
      throw error;
    },
  });
  return {
    ...stand,
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
      const admission = { ...request, amountNano: toNanoUsd(costNano), modelId, requestId };
      expect(await gateway.admit(admission)).toEqual({ outcome: 'admitted' });
      const measured = { ...USAGE, latencyMs: 900, measuredCostNano: toNanoUsd(costNano), ...usage };
      expect(await gateway.settle({ holdId, accountId, usage: measured })).toBe('resolved');
      return holdId;
    },
    async close() {
      await gateway.close();
      await stand.close();
    },
  };
}

/** Lines of a CSV answer in which no value needs quotes. */
export function csvLines(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true);
  return text
    .slice(0, -2)
    .split('\r\n')
    .map((line) => line.split(','));
}

export const AS_CSV = { headers: { accept: 'text/csv' } };
