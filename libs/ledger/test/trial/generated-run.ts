import type { UsageOutcome } from '@farebox/errors';

/**
 * A run as it is generated: nothing in it has an id. Accounts, keys, holds and references are named by numbers, taken
 * modulo what there is when their turn comes, so that a run stays one when parts of it are left out.
 */
export interface GeneratedRun {
  accounts: GeneratedAccount[];
  apiKeys: GeneratedApiKey[];
  steps: GeneratedStep[];
}

export interface GeneratedAccount {
  balanceNano: bigint;
  /** None: the cohort's, which no run comes near. */
  dailyRequestCap?: number;
  dailySpendCapNano?: bigint;
  /** None: a part of the caps, as the cohort has none of its own. */
  dailyAbandonedRequests?: number;
  dailyAbandonmentNano?: bigint;
}

export interface GeneratedApiKey {
  account: number;
  monthlySpendLimitNano?: bigint;
}

/** What happens at the same time, or the passing of time, with which nothing else happens. */
export type GeneratedStep = GeneratedOperation[] | 'dayPasses' | 'monthPasses';

/** The way that an item takes to the database: one of the file's two gateways, or a connection of its own. */
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
  /** Of which bytes the kept answer is made. None: there is no answer. */
  answer: number | undefined;
}

/** A hold: one that is open now or was charged (any, if there is none such), or any that was ever placed. */
export interface HoldChoice {
  among: 'open' | 'charged' | 'ever';
  index: number;
}

export type GeneratedOperation =
  | {
      kind: 'admit';
      via: Via;
      apiKey: number;
      /** Asks with the key of one account for another one. */
      isForeign: boolean;
      /** Asks with the secret that the key had before its last rotation. */
      isFormerSecret: boolean;
      /** Was planned for another cohort than the account is in. */
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
      /** What it cost, if nobody took its response. */
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
