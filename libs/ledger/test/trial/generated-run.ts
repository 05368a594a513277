import type { UsageOutcome } from '@farebox/errors';

/**
 * A generated run without ids. Accounts, keys, holds and references are numbers, modulo what exists at that
 * moment, so that a run stays valid when parts of it are removed.
 */
export interface GeneratedRun {
  accounts: GeneratedAccount[];
  apiKeys: GeneratedApiKey[];
  steps: GeneratedStep[];
}

export interface GeneratedAccount {
  balanceNano: bigint;
  /** Undefined: the cohort's cap, which no run reaches. */
  dailyRequestCap?: number;
  dailySpendCapNano?: bigint;
  /** Undefined: a share of the caps, because the cohort sets none. */
  dailyAbandonedRequests?: number;
  dailyAbandonmentNano?: bigint;
}

export interface GeneratedApiKey {
  account: number;
  monthlySpendLimitNano?: bigint;
}

/** Concurrent operations, or a passage of time, which happens alone. */
export type GeneratedStep = GeneratedOperation[] | 'dayPasses' | 'monthPasses';

/** The route of an item to the database: one of the file's two gateways, or its own connection. */
export type Via = 'first' | 'second' | 'pool';

export interface GeneratedUsage {
  costNano: bigint;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number | undefined;
  cacheWriteTokens: number | undefined;
  reasoningTokens: number | undefined;
  images: number | undefined;
  outcome: UsageOutcome;
  firstTokenMs: number | undefined;
  flags: [streamed: boolean, estimated: boolean];
  /** The content of the kept answer. Undefined: no answer. */
  answer: number | undefined;
}

/** A hold: one that is open or charged (or any, if there is none), or any that was ever placed. */
export interface HoldChoice {
  among: 'open' | 'charged' | 'ever';
  index: number;
}

export type GeneratedOperation =
  | {
      kind: 'admit';
      via: Via;
      apiKey: number;
      /** Uses the key of one account for another. */
      isForeign: boolean;
      /** Uses the secret from before the key's last rotation. */
      isFormerSecret: boolean;
      /** Was planned for another cohort than that of the account. */
      isFormerCohort: boolean;
      amountNano: bigint;
      model: number;
      claim: { key: number; body: number } | undefined;
    }
  | { kind: 'charge'; via: Via; hold: HoldChoice; isForeign: boolean; usage: GeneratedUsage }
  | {
      kind: 'release';
      via: Via;
      hold: HoldChoice;
      isForeign: boolean;
      /** Its cost, if it was abandoned. */
      abandoned: { costNano: bigint; isRouted: boolean } | undefined;
    }
  | { kind: 'openReview'; hold: HoldChoice; usage: GeneratedUsage }
  | { kind: 'refund'; hold: HoldChoice }
  | { kind: 'resolveReview'; among: 'open' | 'ever' | 'holds'; index: number; resolution: 'charge' | 'waive' }
  | { kind: 'topUp'; account: number; amountNano: bigint; reference: number }
  | { kind: 'adjust'; account: number; amountNano: bigint; reference: number }
  | { kind: 'revokeKey' | 'rotateKey' | 'expireKey'; apiKey: number }
  | { kind: 'setMonthlyLimit'; apiKey: number; limitNano: bigint | undefined }
  | { kind: 'suspend' | 'activate'; account: number }
  | { kind: 'lockAccount'; account: number; lockMs: number }
  | { kind: 'moveToCohort'; account: number; cohort: number }
  | { kind: 'gatewayLost' | 'renewLease' | 'expireAnswers' | 'purgeKeptAnswers' };
