import { toNanoUsd, type NanoUsd } from '@farebox/money';

/** How a charged request ended, as the usage record says it. */
export type UsageOutcome = 'completed' | 'client_gone' | 'upstream_failed' | 'upstream_timeout' | 'shutdown';

/** What was measured of a request that is to be charged. */
export interface Usage {
  /** What the tokens cost. If it is more than the hold, the hold is charged and a review is opened. */
  measuredCostNano: NanoUsd;
  promptTokens: number;
  completionTokens: number;
  outcome: UsageOutcome;
  streamed: boolean;
  /** The tokens are the service's own count: the upstream did not report them. */
  estimated: boolean;
  /** The upstream reported something that cannot be what was used. It is counted for an operator, once charged. */
  isReportImplausible?: boolean;
  latencyMs: number;
  firstTokenMs?: number;
  /**
   * What a repetition of the request is answered with, encrypted; `staged` if `stageAnswer` has written it. Only of a
   * request with an Idempotency-Key. A charge without it, or of an account without room for it, spends the key as well.
   */
  answer?: Uint8Array | 'staged' | undefined;
}

const MOST_INT4 = 2 ** 31 - 1;
const MOST_INT8 = 2n ** 63n - 1n;

/**
 * Usage as the columns take it. Whoever measures bounds it by what can be true; this is the last door: a number that
 * PostgreSQL refuses would be refused again each time that the charge, or its review, is tried.
 */
export function fitToColumns<Measured extends Omit<Usage, 'answer'>>(usage: Measured): Measured {
  const { measuredCostNano: costNano, firstTokenMs } = usage;
  return {
    ...usage,
    measuredCostNano: toNanoUsd(costNano < 0n ? 0n : costNano > MOST_INT8 ? MOST_INT8 : costNano),
    promptTokens: toInt4(usage.promptTokens),
    completionTokens: toInt4(usage.completionTokens),
    latencyMs: toInt4(usage.latencyMs),
    ...(firstTokenMs === undefined ? {} : { firstTokenMs: toInt4(firstTokenMs) }),
  };
}

/** What is no number counts as none. */
function toInt4(value: number): number {
  return Number.isNaN(value) ? 0 : Math.round(Math.min(Math.max(value, 0), MOST_INT4));
}

/** The end of a hold: a charge if there is usage, a release if there is none. */
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
