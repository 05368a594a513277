import { DAY_MS, HOUR_MS, MINUTE_MS } from '@farebox/flow';
import type { LimitAttachment, LimitMeasure, LimitWindow } from '../../src/limits/limit-states';

// The rules of limit policies without a database, for one account: what docs/design/adr/0028 says.

export interface ModelPolicy {
  measure: LimitMeasure;
  per: LimitWindow | undefined;
  most: bigint;
  attachedTo: LimitAttachment;
  /** The number of a key; undefined for all of the account's. */
  key: number | undefined;
  model: string | undefined;
}

export interface ModelRequest {
  key: number;
  model: string;
  tokens: number;
  amountNano: bigint;
}

/** The use of a request: the most it can use, and then what it used. */
export interface ModelUse extends ModelRequest {
  admittedAtMs: number;
  /** In whose minute it counts once it is charged: that of its admission, or of its review. */
  minuteAtMs: number;
  state: 'running' | 'in_review' | 'charged';
  /** The time of its review, or of its charge. */
  endedAtMs: number;
}

const FIVE_HOURS_MS = 5 * HOUR_MS;
/** 5 January 1970 was a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

export function windowStart(per: LimitWindow, atMs: number): number {
  const since = (fromMs: number, lengthMs: number): number => atMs - ((atMs - fromMs) % lengthMs);
  switch (per) {
    case 'minute':
      return since(0, MINUTE_MS);
    case 'five_hours':
      return since(0, FIVE_HOURS_MS);
    case 'day':
      return since(0, DAY_MS);
    case 'week':
      return since(FIRST_MONDAY_MS, 7 * DAY_MS);
    case 'month': {
      const at = new Date(atMs);
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
    }
  }
}

export function windowEnd(per: LimitWindow, atMs: number): number {
  const startMs = windowStart(per, atMs);
  if (per !== 'month') {
    const lengths = { minute: MINUTE_MS, five_hours: FIVE_HOURS_MS, day: DAY_MS, week: 7 * DAY_MS };
    return startMs + lengths[per];
  }
  const start = new Date(startMs);
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
}

export function appliesTo({ key, model }: ModelPolicy, request: ModelRequest): boolean {
  return (key === undefined || key === request.key) && (model === undefined || model === request.model);
}

export function needOf({ measure }: ModelPolicy, { tokens, amountNano }: ModelRequest): bigint {
  if (measure === 'tokens') return BigInt(tokens);
  return measure === 'spend' ? amountNano : 1n;
}

export function usedOf(policy: ModelPolicy, uses: readonly ModelUse[], atMs: number): bigint {
  let used = 0n;
  for (const use of uses)
    if (appliesTo(policy, use) && counts(policy, use, atMs)) used += needOf(policy, use);
  return used;
}

function counts({ per }: ModelPolicy, use: ModelUse, atMs: number): boolean {
  if (per === undefined) return use.state === 'running';
  const startMs = windowStart(per, atMs);
  if (use.state === 'running') return use.admittedAtMs >= startMs;
  // A review is found by the day of its admission.
  const isOfDay = windowStart('day', use.admittedAtMs) >= windowStart('day', startMs);
  if (use.state === 'in_review' && !isOfDay) return false;
  // A minute counts admissions, a longer window charges.
  return (per === 'minute' && use.state === 'charged' ? use.minuteAtMs : use.endedAtMs) >= startMs;
}

/** The use that was admitted in the window, or runs; a running request counts with the most that it can use. */
export function admittedOf(policy: ModelPolicy, uses: readonly ModelUse[], atMs: number): bigint {
  const { per } = policy;
  let admitted = 0n;
  for (const use of uses) {
    const isIn = per === undefined ? use.state === 'running' : use.admittedAtMs >= windowStart(per, atMs);
    if (isIn && appliesTo(policy, use)) admitted += needOf(policy, use);
  }
  return admitted;
}
