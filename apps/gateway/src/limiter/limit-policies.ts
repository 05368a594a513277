import {
  afterAdmission,
  findRefusing,
  findTightest,
  isTooLarge,
  leftOfLimit,
  type LimitDecision,
  type LimitMeasure,
  type LimitState,
  type LimitWindow,
} from '@farebox/ledger';
import type { ApiErrorOptions } from '@farebox/errors';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import { LESS_IS_NEEDED, RefusalError, untilItOpens } from '../refusals';
import { toRateLimitHeaders, toTokenLimitHeaders, type WindowState } from './request-limits';

/** Whether a key may see the limits of its account: docs/design/adr/0022. */
interface Shown {
  showsAccountLimits: boolean;
}

interface Asked {
  modelId: string;
  /** The key's window in the limiter, if its state is known. */
  window: WindowState | undefined;
}

/** The headers of an admitted request, by its limit policies and the key's window: each time the tightest. */
export function toLimitHeaders(
  shown: Shown,
  { atMs, states }: LimitDecision,
  window: WindowState | undefined,
): [string, string][] {
  return headersOf(afterAdmission(statesFor(shown, states)), atMs, window);
}

function headersOf(
  states: readonly LimitState[],
  atMs: number,
  window: WindowState | undefined,
): [string, string][] {
  const tokens = findTightest(states, 'tokens');
  const requests = window && findTightest(states, 'requests');
  const isTighter = requests && leftOfLimit(requests) < BigInt(Math.max(0, window.remaining));
  return [
    ...(isTighter ? toRateLimitHeaders(toWindowState(requests, atMs)) : []),
    ...(tokens ? toTokenLimitHeaders(toWindowState(tokens, atMs)) : []),
  ];
}

function toWindowState(state: LimitState, atMs: number): WindowState {
  return {
    limit: Number(state.most),
    remaining: Number(leftOfLimit(state)),
    resetMs: (state.endsAtMs ?? atMs) - atMs,
  };
}

function statesFor({ showsAccountLimits }: Shown, states: readonly LimitState[]): readonly LimitState[] {
  return showsAccountLimits ? states : states.filter(({ attachedTo }) => attachedTo === 'key');
}

/** The limit that refuses a request, among those that the key may see. */
export function findShownRefusing(shown: Shown, states: readonly LimitState[]): LimitState | undefined {
  return findRefusing(statesFor(shown, states));
}

/**
 * The error of a request that limit policies refuse: it names the limit that has room last, its window, and when that
 * is. If the key does not show the account's limits, its own come first, and one of the account is named without amounts.
 */
export function limitPolicyError(shown: Shown, { atMs, states }: LimitDecision, asked: Asked): RefusalError {
  const last = findRefusing(states);
  if (!last) throw new Error('the ledger refused a request that all limits have room for');
  const shownStates = statesFor(shown, states);
  const named = findShownRefusing(shown, states);
  const { attachedTo, measure } = named ?? last;
  const message = named ? describe(named, asked.modelId) : describeToOthers(last, asked.modelId);
  const code = attachedTo === 'key' && measure === 'spend' ? 'spending_limit_exceeded' : 'rate_limit_error';
  return new RefusalError('limit_policies', code, {
    ...whenItOpens(last, named === last, message, atMs),
    headers: headersOf(shownStates, atMs, asked.window),
  });
}

/** Whether a smaller request may have room: all limits without room are of tokens or spending. */
export function mayFitIfSmaller({ states }: LimitDecision): boolean {
  const full = states.filter(({ used, needed, most }) => used + needed > most);
  return full.every(({ measure, used, most }) => SHRINKING.has(measure) && used < most);
}

const SHRINKING = new Set<LimitMeasure>(['tokens', 'spend']);

function whenItOpens(state: LimitState, isTold: boolean, message: string, atMs: number): ApiErrorOptions {
  // Nobody knows when one ends, but usually soon.
  if (state.endsAtMs === undefined) return { message, retryAfterSeconds: 1 };
  // A key that sees no amounts could find the limit by bisection.
  if (isTold && isTooLarge(state))
    return { message: `${message} That is more than the whole limit: it never has room.`, retryable: false };
  return untilItOpens(message, state.endsAtMs, atMs);
}

function describe({ measure, per, attachedTo, isOfModel, most, used, needed }: LimitState, modelId: string) {
  const owner = attachedTo === 'key' ? 'This key' : 'This account';
  const ofModel = isOfModel ? ` for the model ${modelId}` : '';
  const limit = `${owner} has a limit of ${amountOf(measure, most)}${windowOf(per)}${ofModel}`;
  switch (measure) {
    case 'requests':
      return `${limit}, and has reached it.`;
    case 'concurrency':
      return `${limit}, and has reached it. Send the next one when one of them has ended.`;
    case 'tokens':
    case 'spend':
      return (
        `${limit}. ${amountOf(measure, used)} are used or held by running requests, and this request can need up ` +
        `to ${amountOf(measure, needed)}. ${LESS_IS_NEEDED}`
      );
  }
}

function describeToOthers({ measure, per, isOfModel }: LimitState, modelId: string): string {
  const ofModel = isOfModel ? ` for the model ${modelId}` : '';
  return `This account's limit of ${NAMES[measure]}${windowOf(per)}${ofModel} has no room for this request.`;
}

const NAMES: Readonly<Record<LimitMeasure, string>> = {
  requests: 'requests',
  tokens: 'tokens',
  concurrency: 'requests at once',
  spend: 'spending',
};

const ONE_OF: Readonly<Record<Exclude<LimitMeasure, 'spend'>, string>> = {
  requests: 'request',
  tokens: 'token',
  concurrency: 'request at once',
};

function amountOf(measure: LimitMeasure, amount: bigint): string {
  if (measure === 'spend') return `${toDecimalUsd(toNanoUsd(amount))} USD`;
  return `${String(amount)} ${amount === 1n ? ONE_OF[measure] : NAMES[measure]}`;
}

function windowOf(per: LimitWindow | undefined): string {
  return per === undefined ? '' : WINDOWS[per];
}

const WINDOWS: Readonly<Record<LimitWindow, string>> = {
  minute: ' a minute',
  five_hours: ' in five hours',
  day: ' a day',
  week: ' a week',
  month: ' a month',
};
