import { toNanoUsd } from '@farebox/money';
import type { Admission, Settlement, Usage } from '../src/hold';

/** A batcher's item for tests without a database, so that ids are arbitrary. */
export function anAdmission(holdId: string, accountId = 'a'): Admission {
  return {
    holdId,
    accountId,
    amountNano: toNanoUsd(1n),
    mostTokens: 30,
    apiKeyId: 'k',
    apiKeyVersion: 1,
    cohortName: 'beta',
    modelId: 'm',
    priceVersionId: 'p',
    requestId: 'r',
  };
}

export function aUsage(): Usage {
  return {
    measuredCostNano: toNanoUsd(1n),
    promptTokens: 1,
    completionTokens: 1,
    outcome: 'completed',
    streamed: false,
    estimated: false,
    latencyMs: 1,
  };
}

export function aCharge(holdId: string): Settlement {
  return { holdId, accountId: 'a', usage: aUsage() };
}
