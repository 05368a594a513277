import type { NanoUsd } from '@farebox/money';

/** How a charged request ended, as the usage record says it. */
export type UsageOutcome = 'completed' | 'client_gone' | 'upstream_failed' | 'upstream_timeout' | 'shutdown';

/** What was measured of a request that is to be charged. */
export interface Usage {
  /** What the tokens cost. Where it is more than the hold, the hold is charged and a review is opened. */
  measuredCostNano: NanoUsd;
  promptTokens: number;
  completionTokens: number;
  outcome: UsageOutcome;
  streamed: boolean;
  /** The tokens are the service's own count: the upstream did not report them. */
  estimated: boolean;
  latencyMs: number;
  firstTokenMs?: number;
  /** What a repetition of the request is answered with, encrypted. Only of a request with an Idempotency-Key. */
  answer?: Uint8Array | undefined;
}

/** The end of a hold: a charge where there is usage, a release where there is none. */
export interface Settlement {
  holdId: string;
  accountId: string;
  usage?: Usage;
}

/**
 * `resolved`: this call ended the hold. `not_held`: there is no such hold any more; it was charged or released
 * before, or swept because its gateway's lease had lapsed.
 */
export type SettlementResult = 'resolved' | 'not_held';
