import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type { Abandonment, SettlementResult, Usage } from '../../src/hold';
import type { ReviewReason } from '../../src/reviews';
import { freeClaim, spendClaim } from './admit';
import { append, without, withValue, type Hold, type LedgerState, type Review } from './state';
import type { Applied } from './operation';

interface HoldName {
  holdId: string;
  accountId: string;
}

/** An existing hold of the account. */
export function findHold(state: LedgerState, { holdId, accountId }: HoldName): Hold | undefined {
  const hold = state.holds.get(holdId);
  return hold?.admission.accountId === accountId ? hold : undefined;
}

/** Ends a hold with a charge up to its amount. A review records any excess. */
export function charge(state: LedgerState, name: HoldName, usage: Usage): Applied<SettlementResult> {
  const hold = findHold(state, name);
  if (!hold) return { state, answer: 'not_held' };
  const costNano = atMost(usage.measuredCostNano, hold.admission.amountNano);
  const holds = without(state.holds, name.holdId);
  const charged = recordCharge({ ...state, holds }, hold, usage, costNano);
  const settled = spendClaim(charged, hold.admission, usage.answer === 'staged' ? undefined : usage.answer);
  if (usage.measuredCostNano === costNano) return { state: settled, answer: 'resolved' };

  return { state: countReview(settled, 'usage_over_hold', hold, usage), answer: 'resolved' };
}

/** An open review per account, model, day and reason. A request has at most one review. */
export function countReview(
  state: LedgerState,
  counted: ReviewReason,
  hold: Hold,
  usage: Usage,
): LedgerState {
  const { admission, admittedOn } = hold;
  const isOfTheSame = ({ hold: other, reason, state: reviewState }: Review): boolean =>
    reason === counted &&
    reviewState === 'open' &&
    other.admission.accountId === admission.accountId &&
    other.admission.modelId === admission.modelId &&
    other.admittedOn.day === admittedOn.day;
  const [found] = [...state.reviews].filter(([, review]) => isOfTheSame(review)).sort();
  if (!found) {
    if (state.reviews.has(admission.holdId)) return state;
    const review = {
      hold,
      reason: counted,
      state: 'open' as const,
      reservedNano: toNanoUsd(0n),
      usage,
    };
    return { ...state, reviews: withValue(state.reviews, admission.holdId, review) };
  }
  const [id, review] = found;
  const { count, heldNano, measuredCostNano } = review.others ?? {
    count: 0,
    heldNano: 0n,
    measuredCostNano: 0n,
  };
  const others = {
    count: count + 1,
    heldNano: heldNano + admission.amountNano,
    measuredCostNano: measuredCostNano + usage.measuredCostNano,
  };
  return { ...state, reviews: withValue(state.reviews, id, { ...review, others }) };
}

/** Ends a hold and releases its whole amount. */
export function release(state: LedgerState, name: HoldName): Applied<SettlementResult> {
  const hold = findHold(state, name);
  if (!hold) return { state, answer: 'not_held' };
  const holds = without(state.holds, name.holdId);
  return { state: freeClaim({ ...state, holds }, hold.admission), answer: 'resolved' };
}

/** Ends a hold and releases everything except the request's place in its day: its client took no response. */
export function abandon(
  state: LedgerState,
  name: HoldName,
  { costNano, route }: Abandonment,
): Applied<SettlementResult> {
  const hold = findHold(state, name);
  const released = release(state, name);
  if (!hold) return released;
  const abandoned = withValue(released.state.abandoned, name.holdId, {
    ...{ hold, route, wasCharged: false },
    costNano: atMost(costNano, hold.admission.amountNano),
  });
  return { ...released, state: { ...released.state, abandoned } };
}

/** Records a charge: a usage record, and an entry if it cost anything. */
export function recordCharge(state: LedgerState, hold: Hold, usage: Usage, costNano: NanoUsd): LedgerState {
  const { holdId, accountId } = hold.admission;
  const usageRecords = withValue(state.usageRecords, holdId, { hold, usage, costNano });
  const recorded = { ...state, usageRecords };
  if (costNano === 0n) return recorded;
  return append(recorded, accountId, {
    kind: 'charge',
    deltaNano: toNanoUsd(0n - costNano),
    chargeId: holdId,
  });
}

export function atMost(amountNano: NanoUsd, limitNano: NanoUsd): NanoUsd {
  return amountNano < limitNano ? amountNano : limitNano;
}
