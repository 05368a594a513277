import { toNanoUsd } from '@farebox/money';
import type { Admission, Usage } from '../../src/hold';
import { apply } from './ledger-model';
import type { Answer, Operation } from './operation';
import { EMPTY_LEDGER, withValue, type Account, type ApiKey, type LedgerState } from './state';

/** One account with one key, for the model's own tests. */
export const accountId = 'account';
export const apiKeyId = 'key';
export const gatewayId = 'gateway';

/** By default with a balance of 100 and without effective limits. */
export function aLedger({ account, apiKey }: { account?: Partial<Account>; apiKey?: Partial<ApiKey> } = {}) {
  const state: LedgerState = {
    ...EMPTY_LEDGER,
    accounts: withValue<Account>(EMPTY_LEDGER.accounts, accountId, {
      inviteStatus: 'active',
      cohortName: 'beta',
      dailyRequestCap: 10,
      dailySpendCapNano: toNanoUsd(1_000n),
      dailyAbandonedRequests: 10,
      dailyAbandonmentNano: toNanoUsd(1_000n),
      entries: [],
      ...account,
    }),
    apiKeys: withValue<ApiKey>(EMPTY_LEDGER.apiKeys, apiKeyId, {
      accountId,
      isRevoked: false,
      isExpired: false,
      version: 1,
      monthlySpendLimitNano: undefined,
      ...apiKey,
    }),
  };
  return after(state, topUp(100n));
}

export function topUp(amountNano: bigint): Operation {
  const reference = `paid ${String(amountNano)}`;
  return {
    kind: 'topUp',
    topUp: { accountId, amountNano: toNanoUsd(amountNano), method: 'manual', reference },
  };
}

export function admit(holdId: string, amountNano: bigint, more: Partial<Admission> = {}): Operation {
  return {
    kind: 'admit',
    gatewayId,
    admission: {
      holdId,
      accountId,
      apiKeyId,
      apiKeyVersion: 1,
      cohortName: 'beta',
      amountNano: toNanoUsd(amountNano),
      mostTokens: 30,
      modelId: 'small',
      priceVersionId: 'price',
      requestId: 'req',
      ...more,
    },
  };
}

export function charge(holdId: string, costNano: bigint, answer?: Uint8Array): Operation {
  return { kind: 'charge', holdId, accountId, usage: { ...aUsage(costNano), answer } };
}

export function release(holdId: string): Operation {
  return { kind: 'release', holdId, accountId };
}

export function abandon(holdId: string, costNano: bigint): Operation {
  return { kind: 'release', holdId, accountId, abandoned: { costNano: toNanoUsd(costNano) } };
}

export function aUsage(costNano: bigint): Usage {
  return {
    measuredCostNano: toNanoUsd(costNano),
    promptTokens: 1,
    completionTokens: 2,
    outcome: 'completed',
    streamed: false,
    estimated: false,
    latencyMs: 3,
  };
}

/** The state after the operations, whatever their answers. */
export function after(state: LedgerState, ...operations: Operation[]): LedgerState {
  return operations.reduce((before, operation) => apply(before, operation).state, state);
}

export function answerTo(state: LedgerState, operation: Operation): Answer {
  return apply(state, operation).answer;
}
