import { toNanoUsd, ZERO_NANO, type NanoUsd } from '@farebox/money';
import type { Abandonment, Admission, Usage } from '../../src/hold';
import type { LedgerEntryKind } from '../../src/ledger-entries';
import type { ReviewReason, ReviewState } from '../../src/reviews';

/**
 * All facts of the ledger: admissions, charges, reviews and payments. Balances, holds and the counters behind
 * caps and limits are not stored but computed from them (sums.ts). A state is immutable: an operation creates
 * a new one.
 */
export interface LedgerState {
  /** The current day; admissions keep theirs permanently. */
  today: CalendarDay;
  accounts: ReadonlyMap<string, Account>;
  apiKeys: ReadonlyMap<string, ApiKey>;
  /** Gateways that stopped renewing their lease. All others have one. */
  lapsedGateways: ReadonlySet<string>;
  /** Money at risk now, by hold id; there are no other holds. */
  holds: ReadonlyMap<string, Hold>;
  /** By `claimId`. */
  claims: ReadonlyMap<string, Claim>;
  /** Charged requests, by hold id. */
  usageRecords: ReadonlyMap<string, UsageRecord>;
  /** Requests whose client took no response, by hold id: released, or charged and refunded. */
  abandoned: ReadonlyMap<string, Abandoned>;
  /** By hold id: at most one for each request. */
  reviews: ReadonlyMap<string, Review>;
  /** Top-ups by reference. */
  fundings: ReadonlyMap<string, Movement>;
  /** Corrections by reference. */
  adjustments: ReadonlyMap<string, Movement>;
}

/** UTC days and months, each numbered from the beginning. A new month begins with a new day. */
export interface CalendarDay {
  day: number;
  month: number;
}

type InviteStatus = 'none' | 'invited' | 'active' | 'suspended';

export interface Account {
  inviteStatus: InviteStatus;
  cohortName: string;
  /** The account's own cap, or else the cohort's. */
  dailyRequestCap: number;
  dailySpendCapNano: NanoUsd;
  /** Limits per day for the number and the cost of abandoned requests. */
  dailyAbandonedRequests: number;
  dailyAbandonmentNano: NanoUsd;
  /** The journal, oldest first: the sequence number of an entry is its position, from 1. */
  entries: readonly Entry[];
}

export interface Entry {
  kind: LedgerEntryKind;
  /** Positive: to the customer. Negative: from the customer. Never zero. */
  deltaNano: NanoUsd;
  balanceAfterNano: NanoUsd;
  /** For a charge its own id, which is that of its hold; for a refund the refunded charge. */
  chargeId?: string;
}

export interface ApiKey {
  accountId: string;
  isRevoked: boolean;
  isExpired: boolean;
  version: number;
  monthlySpendLimitNano: NanoUsd | undefined;
}

export interface Hold {
  admission: Admission;
  gatewayId: string;
  /** The day of the admission. The charge counts there, whenever it is made. */
  admittedOn: CalendarDay;
}

interface UsageRecord {
  hold: Hold;
  usage: Usage;
  /** The charge: never more than the hold. */
  costNano: NanoUsd;
}

interface Abandoned {
  hold: Hold;
  /** Its cost for the operator: for a release never more than the hold. */
  costNano: NanoUsd;
  wasCharged: boolean;
  route: Abandonment['route'];
}

export interface Review {
  hold: Hold;
  reason: ReviewReason;
  state: ReviewState;
  /** The amount held while the review is open. */
  reservedNano: NanoUsd;
  /** Undefined if the delivered usage is unknown. */
  usage?: Usage;
  /** Later reviews counted with this one. */
  others?: { count: number; heldNano: bigint; measuredCostNano: bigint };
}

/** A request's claim on an Idempotency-Key. */
export interface Claim {
  apiKeyId: string;
  key: string;
  fingerprint: string;
  holdId: string;
  /** `withheld`: charged or under review, without an answer to return. */
  state: 'in_flight' | 'answered' | 'withheld';
  answer?: string;
  /** `none`: until the request is settled. `running`: for 24 hours. `passed`: expired. */
  expiry: 'none' | 'running' | 'passed';
}

/** A movement of money under a reference. */
export interface Movement {
  accountId: string;
  amountNano: NanoUsd;
  balanceAfterNano: NanoUsd;
}

export const EMPTY_LEDGER: LedgerState = {
  today: { day: 0, month: 0 },
  accounts: new Map(),
  apiKeys: new Map(),
  lapsedGateways: new Set(),
  holds: new Map(),
  claims: new Map(),
  usageRecords: new Map(),
  abandoned: new Map(),
  reviews: new Map(),
  fundings: new Map(),
  adjustments: new Map(),
};

/** A copy of a map with another value for one key. */
export function withValue<Value>(
  map: ReadonlyMap<string, Value>,
  key: string,
  value: Value,
): ReadonlyMap<string, Value> {
  return new Map(map).set(key, value);
}

/** A copy of a map without one key. */
export function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}

/** The account of an operation. Throws if it is unknown to the model. */
export function accountOf(state: LedgerState, accountId: string): Account {
  const account = state.accounts.get(accountId);
  if (!account) throw new Error(`the model has no account ${accountId}`);
  return account;
}

/** Totals of a day or a month: running requests count with their held amount. */
export interface Count {
  requests: number;
  spentNano: NanoUsd;
  heldNano: NanoUsd;
  /** The part held by running requests; the rest is reserved by reviews. */
  runningNano: NanoUsd;
  abandonedRequests: number;
  abandonedNano: NanoUsd;
}

export interface UsageTotal {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  costNano: NanoUsd;
}

export function balanceOf(state: LedgerState, accountId: string): NanoUsd {
  return accountOf(state, accountId).entries.at(-1)?.balanceAfterNano ?? ZERO_NANO;
}

/** The sum of all holds and of the amounts that open reviews reserve. */
export function heldOf(state: LedgerState, accountId: string): NanoUsd {
  return countOf(state, (hold) => hold.admission.accountId === accountId).heldNano;
}

export function availableOf(state: LedgerState, accountId: string): NanoUsd {
  return toNanoUsd(balanceOf(state, accountId) - heldOf(state, accountId));
}

export function accountDay(state: LedgerState, accountId: string, { day }: Pick<CalendarDay, 'day'>): Count {
  return countOf(state, (hold) => hold.admission.accountId === accountId && hold.admittedOn.day === day);
}

export function apiKeyMonth(
  state: LedgerState,
  apiKeyId: string,
  { month }: Pick<CalendarDay, 'month'>,
): Count {
  return countOf(state, (hold) => hold.admission.apiKeyId === apiKeyId && hold.admittedOn.month === month);
}

/** The charges for a model through an API key. */
export function usageTotal(state: LedgerState, apiKeyId: string, modelId: string): UsageTotal {
  let total: UsageTotal = {
    ...{ requests: 0, promptTokens: 0, completionTokens: 0 },
    ...{ cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, costNano: ZERO_NANO },
  };
  for (const { hold, usage, costNano } of state.usageRecords.values()) {
    if (hold.admission.apiKeyId !== apiKeyId || hold.admission.modelId !== modelId) continue;
    total = {
      requests: total.requests + 1,
      promptTokens: total.promptTokens + usage.promptTokens,
      completionTokens: total.completionTokens + usage.completionTokens,
      cachedTokens: total.cachedTokens + (usage.cachedTokens ?? 0),
      cacheWriteTokens: total.cacheWriteTokens + (usage.cacheWriteTokens ?? 0),
      reasoningTokens: total.reasoningTokens + (usage.reasoningTokens ?? 0),
      costNano: toNanoUsd(total.costNano + costNano),
    };
  }
  return total;
}

function refundedChargesOf({ accounts }: LedgerState): ReadonlySet<string | undefined> {
  const entries = [...accounts.values()].flatMap((account) => account.entries);
  return new Set(entries.filter(({ kind }) => kind === 'refund').map(({ chargeId }) => chargeId));
}

/**
 * A request counts while it is held, while its failed charge waits for an operator, and after it was charged
 * or abandoned. A refunded one still counts as a request, but with nothing spent.
 */
function countOf(state: LedgerState, isCounted: (hold: Hold) => boolean): Count {
  let requests = 0;
  let spentNano = 0n;
  let runningNano = 0n;
  for (const hold of state.holds.values()) {
    if (!isCounted(hold)) continue;
    requests++;
    runningNano += hold.admission.amountNano;
  }
  let heldNano = runningNano;
  for (const review of state.reviews.values()) {
    if (review.state !== 'open' || review.reason !== 'charge_failed' || !isCounted(review.hold)) continue;
    requests++;
    heldNano += review.reservedNano;
  }
  const refunded = refundedChargesOf(state);
  for (const [id, record] of state.usageRecords) {
    if (!isCounted(record.hold)) continue;
    requests++;
    if (!refunded.has(id)) spentNano += record.costNano;
  }
  let abandonedRequests = 0;
  let abandonedNano = 0n;
  for (const { hold, costNano, wasCharged } of state.abandoned.values()) {
    if (!isCounted(hold)) continue;
    if (!wasCharged) requests++;
    abandonedRequests++;
    abandonedNano += costNano;
  }
  return {
    ...{ requests, spentNano: toNanoUsd(spentNano), heldNano: toNanoUsd(heldNano) },
    runningNano: toNanoUsd(runningNano),
    ...{ abandonedRequests, abandonedNano: toNanoUsd(abandonedNano) },
  };
}

/** Adds an entry to an account's journal. */
export function append(
  state: LedgerState,
  accountId: string,
  entry: Omit<Entry, 'balanceAfterNano'>,
): LedgerState {
  const account = accountOf(state, accountId);
  const balanceAfterNano = toNanoUsd(balanceOf(state, accountId) + entry.deltaNano);
  const entries = [...account.entries, { ...entry, balanceAfterNano }];
  return { ...state, accounts: withValue(state.accounts, accountId, { ...account, entries }) };
}
