import { ERROR_CODES, type ErrorCode, type UnchargedOutcome, type UsageOutcome } from '@farebox/errors';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@farebox/flow';
import { priceOfTokens, roundUpToNano, toNanoUsd, type NanoUsd, type PicoUsd } from '@farebox/money';

// A realistic month of an active account: deterministic, except for its end.

export const DEMO_DAYS = 30;

/** A model that is sold, and its price by the token. */
export interface DemoModel {
  id: string;
  priceVersionId: string;
  inputPricePico: PicoUsd;
  outputPricePico: PicoUsd;
}

/** An API key of the month, whose secret nobody knows. */
export interface DemoKey {
  name: string;
  /** Share of all requests, and their models, the first being the cheapest. */
  share: number;
  dearShare: number;
  /** Revoked this many days ago. */
  revokedDaysAgo?: number;
}

export const DEMO_KEYS: readonly DemoKey[] = [
  { name: 'production', share: 0.62, dearShare: 0.55 },
  { name: 'staging', share: 0.25, dearShare: 0.25 },
  { name: 'notebook', share: 0.13, dearShare: 0.8, revokedDaysAgo: 9 },
];

interface DemoRequest {
  at: Date;
  /** Which of `DEMO_KEYS`. */
  key: number;
  modelId: string;
  streamed: boolean;
  latencyMs: number;
}

export interface DemoCharge extends DemoRequest {
  kind: 'charge';
  priceVersionId: string;
  promptTokens: number;
  completionTokens: number;
  costNano: NanoUsd;
  outcome: UsageOutcome;
  firstTokenMs: number | null;
}

export interface DemoUncharged extends DemoRequest {
  kind: 'uncharged';
  outcome: UnchargedOutcome;
  /** Null: the client had left. */
  errorCode: ErrorCode | null;
  httpStatus: number | null;
}

export interface DemoTopUp {
  kind: 'top_up';
  at: Date;
  amountNano: NanoUsd;
}

export type DemoEvent = DemoCharge | DemoUncharged | DemoTopUp;

const TEN_DOLLARS = 10_000_000_000n;
/** Topped up below this amount. */
const LOW = 2_000_000_000n;

/** On a weekday, by the hour in UTC; a weekend has a sixth of it. */
const REQUESTS_BY_HOUR = [
  ...[0.3, 0.2, 0.1, 0.1, 0.1, 0.3, 0.8, 2, 5, 7, 8, 7.5],
  ...[5, 6.5, 8, 8, 7, 5, 3, 2, 1.5, 1.2, 0.8, 0.5],
];
const WEEKEND = 1 / 6;

const LATE: [ErrorCode, UnchargedOutcome] = ['upstream_timeout', 'failed'];
const TROUBLES: readonly [code: ErrorCode, outcome: UnchargedOutcome][] = [
  ...Array<[ErrorCode, UnchargedOutcome]>(5).fill(['rate_limit_error', 'refused']),
  ...Array<[ErrorCode, UnchargedOutcome]>(3).fill(['invalid_request_error', 'refused']),
  ['model_not_found', 'refused'],
  ['service_unavailable', 'failed'],
  LATE,
];

/** The month before this time, oldest first. There are enough top-ups before each charge, and a balance is left. */
export function planDemoMonth(models: readonly DemoModel[], now: Date): DemoEvent[] {
  const random = randomOf(20_261_122);
  const between = (low: number, high: number): number => Math.floor(low + random() * (high - low));
  const [cheap] = models;
  if (!cheap) return [];
  const dear = models.at(-1) ?? cheap;
  const firstHour = Math.floor((now.getTime() - DEMO_DAYS * DAY_MS) / HOUR_MS);
  const events: DemoEvent[] = [topUp(new Date(firstHour * HOUR_MS - MINUTE_MS), 2n * TEN_DOLLARS)];
  let left = 2n * TEN_DOLLARS;

  const requestAt = (at: Date): DemoCharge | DemoUncharged => {
    const key = pickKey(random(), now.getTime() - at.getTime());
    const model = random() < (DEMO_KEYS[key]?.dearShare ?? 0) ? dear : cheap;
    const streamed = random() < 0.7;
    const firstTokenMs = between(180, model === dear ? 1_400 : 500);
    const request = { at, key, modelId: model.id, streamed };
    const chance = random();
    if (chance < 0.035) {
      const [code, outcome] = TROUBLES[between(0, TROUBLES.length)] ?? LATE;
      const isGone = chance < 0.004;
      const latencyMs = outcome === 'failed' || isGone ? between(900, 30_000) : between(2, 12);
      return {
        ...{ ...request, kind: 'uncharged', latencyMs, outcome: isGone ? 'failed' : outcome },
        ...{ errorCode: isGone ? null : code, httpStatus: isGone ? null : ERROR_CODES[code].status },
      };
    }
    const outcome = streamed ? streamEnd(chance) : 'completed';
    const promptTokens = between(200, 900) + (random() < 0.3 ? between(2_000, 14_000) : 0);
    const completionTokens = Math.ceil(between(60, 900) * (outcome === 'completed' ? 1 : 0.3));
    return {
      ...{ ...request, kind: 'charge', outcome, promptTokens, completionTokens },
      priceVersionId: model.priceVersionId,
      costNano: costOf(model, promptTokens, completionTokens),
      latencyMs: firstTokenMs + completionTokens * between(8, 15),
      firstTokenMs: streamed ? firstTokenMs : null,
    };
  };

  for (let hour = firstHour; hour * HOUR_MS < now.getTime(); hour++) {
    const start = new Date(hour * HOUR_MS);
    const day = start.getUTCDay();
    const usual = (REQUESTS_BY_HOUR[start.getUTCHours()] ?? 0) * (day === 0 || day === 6 ? WEEKEND : 1);
    const count = Math.round(usual * (0.5 + random()) + random() - 0.5);
    const times = Array.from({ length: Math.max(0, count) }, () => start.getTime() + between(0, HOUR_MS));
    // The last minutes are left to the person who has just started it.
    for (const time of times.sort((a, b) => a - b)) {
      if (time > now.getTime() - 5 * MINUTE_MS) continue;
      const event = requestAt(new Date(time));
      if (event.kind === 'charge') {
        while (left < event.costNano + LOW) {
          events.push(topUp(new Date(time - 1), TEN_DOLLARS));
          left += TEN_DOLLARS;
        }
        left -= event.costNano;
      }
      events.push(event);
    }
  }
  return events;
}

function costOf(
  { inputPricePico, outputPricePico }: DemoModel,
  promptTokens: number,
  completionTokens: number,
): NanoUsd {
  return roundUpToNano(
    priceOfTokens(promptTokens, inputPricePico) + priceOfTokens(completionTokens, outputPricePico),
  );
}

function topUp(at: Date, amountNano: bigint): DemoTopUp {
  return { kind: 'top_up', at, amountNano: toNanoUsd(amountNano) };
}

function pickKey(chance: number, agoMs: number): number {
  let sum = 0;
  for (const [index, { share, revokedDaysAgo }] of DEMO_KEYS.entries()) {
    sum += share;
    if (chance < sum) return revokedDaysAgo !== undefined && agoMs < revokedDaysAgo * DAY_MS ? 0 : index;
  }
  return 0;
}

/** `chance` is above the probability of a free request. */
function streamEnd(chance: number): UsageOutcome {
  if (chance < 0.06) return 'client_gone';
  if (chance < 0.066) return 'upstream_failed';
  return chance < 0.07 ? 'upstream_timeout' : 'completed';
}

/** Deterministic numbers from 0 to 1 for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
