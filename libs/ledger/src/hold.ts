import type { UsageOutcome } from '@farebox/errors';
import { toNanoUsd, TOKEN_KINDS, type NanoUsd, type TokenKind } from '@farebox/money';
import type { LimitDecision } from './limits/limit-states';

/** A request for a hold. */
export interface Admission {
  holdId: string;
  accountId: string;
  apiKeyId: string;
  /** The version of the key that the caller identified; for an older one the result is `key_changed`. */
  apiKeyVersion: number;
  /** The cohort that the request was planned for; for an account in another one the result is `key_changed`. */
  cohortName: string;
  /** The maximum cost of the request. */
  amountNano: NanoUsd;
  /** The most tokens that it can use, of its prompt and its output. */
  mostTokens: number;
  modelId: string;
  priceVersionId: string;
  requestId: string;
  idempotency?: IdempotencyClaim | undefined;
}

/** Makes a request repeatable: its Idempotency-Key, in the scope of the API key. */
export interface IdempotencyClaim {
  /** 1 to 255 printable ASCII characters. */
  key: string;
  /** SHA-256 over method, path and body bytes: another request under the same key is a conflict. */
  fingerprint: Uint8Array;
}

/** Why a hold was refused, in the order in which the database checks. */
export const REFUSALS = [
  'lease_lapsed',
  'key_not_live',
  'key_changed',
  'key_expired',
  'no_access',
  'idempotency_conflict',
  'idempotency_in_progress',
  'answer_withheld',
  'daily_request_cap',
  'daily_spend_cap',
  'abandonment_cap',
  'abandonment_at_risk',
  'key_month_limit',
  'insufficient_funds',
  'limit_policy',
] as const;

export type Refusal = (typeof REFUSALS)[number];

/** Refusals for lack of room: a smaller cost may still fit. */
export const NO_ROOM = [
  'insufficient_funds',
  'daily_spend_cap',
  'abandonment_at_risk',
  'key_month_limit',
] as const satisfies readonly Refusal[];

export type NoRoom = (typeof NO_ROOM)[number];

export type AdmissionResult =
  /** `limits` is omitted if no policy applies, or if the answer was lost and only the hold was found. */
  | { outcome: 'admitted'; limits?: LimitDecision }
  | { outcome: 'key_changed' }
  /** The request was charged before; its answer is kept under that hold. */
  | { outcome: 'replay'; holdId: string }
  | { outcome: 'insufficient_funds'; availableNano: NanoUsd }
  /**
   * The remaining amount of today's spending, of today's allowance of abandoned requests, or of the key's month is
   * too small.
   */
  | { outcome: Exclude<NoRoom, 'insufficient_funds'>; leftNano: NanoUsd }
  /** At least one of the limit policies has no room. */
  | { outcome: 'limit_policy'; limits: LimitDecision }
  | { outcome: Exclude<Refusal, 'key_changed' | 'limit_policy' | NoRoom> };

/** The route that answered. Only an operator sees it, never a customer. */
export interface UsageRoute {
  upstreamId: string;
  /** The upstream's own name for it. */
  upstreamModel: string;
  /** The operator's cost, if the catalogue has it. */
  costNano?: NanoUsd;
}

/** The measured usage of a request to charge. */
export interface Usage extends Partial<Record<TokenKind, number>> {
  /** The cost of the tokens. If it exceeds the hold, the hold is charged and a review is opened. */
  measuredCostNano: NanoUsd;
  promptTokens: number;
  completionTokens: number;
  /** Images in the prompt, if any. */
  images?: number;
  route?: UsageRoute;
  outcome: UsageOutcome;
  streamed: boolean;
  /** The service counted the tokens itself, because the upstream did not report them. */
  estimated: boolean;
  /** The upstream reported impossible usage. Once charged, it is counted for an operator. */
  isReportImplausible?: boolean;
  /** The count could not be finished: tokens and cost are an estimate. It becomes a review instead of a charge. */
  isUncounted?: boolean;
  latencyMs: number;
  firstTokenMs?: number;
  /**
   * The encrypted answer for a repetition of the request; `staged` if `stageAnswer` has written it. Only for a
   * request with an Idempotency-Key. A charge without it, or for an account without room for it, spends the key as
   * well.
   */
  answer?: Uint8Array | 'staged' | undefined;
}

/** The operator's cost of a request whose client left before any delivery. */
export interface Abandonment {
  /** The upstream's cost, as far as it is known or estimated. It counts up to the hold. */
  costNano: NanoUsd;
  /** The route that was asked. */
  route?: Pick<UsageRoute, 'upstreamId' | 'upstreamModel'>;
}

const MOST_INT4 = 2 ** 31 - 1;
const MOST_INT8 = 2n ** 63n - 1n;

/**
 * Usage as column values. The code that measures bounds it by what is plausible; this is the last check: a number
 * that PostgreSQL refuses would be refused again at each retry of the charge, or of its review.
 */
export function fitToColumns<Measured extends Omit<Usage, 'answer'>>(usage: Measured): Measured {
  const { measuredCostNano: costNano, firstTokenMs } = usage;
  // Nearly always true; the code below creates several objects.
  if (fits(usage)) return usage;
  return {
    ...usage,
    measuredCostNano: toInt8(costNano),
    promptTokens: toInt4(usage.promptTokens),
    completionTokens: toInt4(usage.completionTokens),
    ...fitKinds(usage),
    latencyMs: toInt4(usage.latencyMs),
    ...(firstTokenMs === undefined ? {} : { firstTokenMs: toInt4(firstTokenMs) }),
  };
}

function fits(usage: Omit<Usage, 'answer'>): boolean {
  const { measuredCostNano: costNano, firstTokenMs = 0 } = usage;
  return (
    costNano >= 0n &&
    costNano <= MOST_INT8 &&
    isInt4(usage.promptTokens) &&
    isInt4(usage.completionTokens) &&
    KINDS.every((kind) => isInt4(usage[kind] ?? 0)) &&
    isInt4(usage.latencyMs) &&
    isInt4(firstTokenMs)
  );
}

function isInt4(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MOST_INT4;
}

function toInt8(costNano: NanoUsd): NanoUsd {
  return toNanoUsd(costNano < 0n ? 0n : costNano > MOST_INT8 ? MOST_INT8 : costNano);
}

/** The end of a hold as column values. */
export function fitSettlement(settlement: Settlement): Settlement {
  const { usage, abandoned } = settlement;
  if (usage) return { ...settlement, usage: fitToColumns(usage) };
  if (abandoned) return { ...settlement, abandoned: { ...abandoned, costNano: toInt8(abandoned.costNano) } };
  return settlement;
}

const KINDS = [...(Object.keys(TOKEN_KINDS) as TokenKind[]), 'images'] as const;

function fitKinds(
  usage: Pick<Usage, (typeof KINDS)[number]>,
): Partial<Record<(typeof KINDS)[number], number>> {
  return Object.fromEntries(
    KINDS.flatMap((kind) => (usage[kind] === undefined ? [] : [[kind, toInt4(usage[kind])]])),
  );
}

/** NaN becomes 0. */
export function toInt4(value: number): number {
  return Number.isNaN(value) ? 0 : Math.round(Math.min(Math.max(value, 0), MOST_INT4));
}

/** The end of a hold: a charge if there is usage, a release if there is none. */
export type Settlement = { holdId: string; accountId: string } & (
  | { usage?: Usage; abandoned?: never }
  /** A release that counts on the account's allowance: the request stays in the number of its day. */
  | { usage?: never; abandoned: Abandonment }
);

/**
 * `resolved`: this call ended the hold. `not_held`: the hold no longer exists; it was charged or released before, or
 * swept because its gateway's lease had lapsed.
 */
export type SettlementResult = 'resolved' | 'not_held';

/** A charge of unknown outcome: the measured usage, without the answer, which was not sent. */
export interface FailedCharge {
  holdId: string;
  accountId: string;
  usage: Omit<Usage, 'answer'>;
}

/** The ledger could not answer in time, or is closed. The caller does not know the state of the item. */
export class LedgerUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LedgerUnavailableError';
  }
}

/**
 * PostgreSQL has lost a hold in a crash, before it was on disk. It is as if it had never been placed: nothing was
 * charged, and nothing was delivered that would have to be.
 */
export class HoldLostError extends Error {
  constructor() {
    super('the hold was lost in a crash of the database');
    this.name = 'HoldLostError';
  }
}

/** A charge was not recorded, as far as is known, and has been handed over to become a review. */
export class ChargeHandedOverError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ChargeHandedOverError';
  }
}
