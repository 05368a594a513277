import type { UsageOutcome } from '@farebox/errors';
import { toNanoUsd, TOKEN_KINDS, type NanoUsd, type TokenKind } from '@farebox/money';

/** A request that asks for a hold. */
export interface Admission {
  holdId: string;
  accountId: string;
  apiKeyId: string;
  /** The version of the key that the caller identified; an older one is answered `key_changed`. */
  apiKeyVersion: number;
  /** The cohort that the request was planned for; an account in another one is answered `key_changed`. */
  cohortName: string;
  /** The maximum cost of the request. */
  amountNano: NanoUsd;
  modelId: string;
  priceVersionId: string;
  requestId: string;
  idempotency?: IdempotencyClaim | undefined;
}

/** What makes a request repeatable: its Idempotency-Key, in the scope of the API key. */
export interface IdempotencyClaim {
  /** 1 to 255 printable ASCII characters. */
  key: string;
  /** SHA-256 over method, path and body bytes: another request under the same key is a conflict. */
  fingerprint: Uint8Array;
}

/** Why a hold was refused, in the order in which the database looks. */
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
] as const;

export type Refusal = (typeof REFUSALS)[number];

/** Refusals for want of room: there may be some for a smaller cost. */
export const NO_ROOM = [
  'insufficient_funds',
  'daily_spend_cap',
  'abandonment_at_risk',
  'key_month_limit',
] as const satisfies readonly Refusal[];

export type NoRoom = (typeof NO_ROOM)[number];

export type AdmissionResult =
  | { outcome: 'admitted' }
  | { outcome: 'key_changed' }
  /** The request was charged before: its answer is kept under the hold that it had then. */
  | { outcome: 'replay'; holdId: string }
  | { outcome: 'insufficient_funds'; availableNano: NanoUsd }
  /** There is less left of what may be spent today, of what may be abandoned today, or of what the key may spend this month. */
  | { outcome: Exclude<NoRoom, 'insufficient_funds'>; leftNano: NanoUsd }
  | { outcome: Exclude<Refusal, 'key_changed' | NoRoom> };

/** Which route answered. No customer's business: only an operator reads it. */
export interface UsageRoute {
  upstreamId: string;
  /** As the upstream names it. */
  upstreamModel: string;
  /** What it costs whoever runs the service, if the catalogue says. */
  costNano?: NanoUsd;
}

/** What was measured of a request that is to be charged. */
export interface Usage extends Partial<Record<TokenKind, number>> {
  /** What the tokens cost. If it is more than the hold, the hold is charged and a review is opened. */
  measuredCostNano: NanoUsd;
  promptTokens: number;
  completionTokens: number;
  /** Of the prompt, if it has any. */
  images?: number;
  route?: UsageRoute;
  outcome: UsageOutcome;
  streamed: boolean;
  /** The tokens are the service's own count: the upstream did not report them. */
  estimated: boolean;
  /** The upstream reported something that cannot be what was used. It is counted for an operator, once charged. */
  isReportImplausible?: boolean;
  /** The count could not be finished: tokens and cost are an estimate. It is not charged, a review is made of it. */
  isUncounted?: boolean;
  latencyMs: number;
  firstTokenMs?: number;
  /**
   * What a repetition of the request is answered with, encrypted; `staged` if `stageAnswer` has written it. Only of a
   * request with an Idempotency-Key. A charge without it, or of an account without room for it, spends the key as well.
   */
  answer?: Uint8Array | 'staged' | undefined;
}

/** The operator's cost of a request whose client left before anything of the response was delivered. */
export interface Abandonment {
  /** The upstream's cost, as far as it is known or estimated. It counts up to what was held. */
  costNano: NanoUsd;
  /** Which route was asked. */
  route?: Pick<UsageRoute, 'upstreamId' | 'upstreamModel'>;
}

const MOST_INT4 = 2 ** 31 - 1;
const MOST_INT8 = 2n ** 63n - 1n;

/**
 * Usage as the columns take it. Whoever measures bounds it by what can be true; this is the last door: a number that
 * PostgreSQL refuses would be refused again each time that the charge, or its review, is tried.
 */
export function fitToColumns<Measured extends Omit<Usage, 'answer'>>(usage: Measured): Measured {
  const { measuredCostNano: costNano, firstTokenMs } = usage;
  // As good as always; what follows makes several objects.
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

/** The end of a hold as the columns take it. */
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
function toInt4(value: number): number {
  return Number.isNaN(value) ? 0 : Math.round(Math.min(Math.max(value, 0), MOST_INT4));
}

/** The end of a hold: a charge if there is usage, a release if there is none. */
export type Settlement = { holdId: string; accountId: string } & (
  | { usage?: Usage; abandoned?: never }
  /** A release that counts on the account's allowance: the request stays in the number of its day. */
  | { usage?: never; abandoned: Abandonment }
);

/**
 * `resolved`: this call ended the hold. `not_held`: there is no such hold any more; it was charged or released
 * before, or swept because its gateway's lease had lapsed.
 */
export type SettlementResult = 'resolved' | 'not_held';

/** A charge whose outcome is not known: what was measured, without the answer, which was not given. */
export interface FailedCharge {
  holdId: string;
  accountId: string;
  usage: Omit<Usage, 'answer'>;
}

/** The ledger could not answer in time, or is closed. Nothing is known to the caller of what became of the item. */
export class LedgerUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LedgerUnavailableError';
  }
}

/**
 * PostgreSQL has lost a hold in a crash, before it was on the disk. It is as if it had never been placed: nothing was
 * charged, and nothing was delivered that would have to be.
 */
export class HoldLostError extends Error {
  constructor() {
    super('the hold was lost in a crash of the database');
    this.name = 'HoldLostError';
  }
}

/** A charge was not recorded, as far as is known, and has been handed over: somebody else makes a review of it. */
export class ChargeHandedOverError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ChargeHandedOverError';
  }
}
