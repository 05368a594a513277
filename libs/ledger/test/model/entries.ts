import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type { Adjustment, TopUp } from '../../src/account-funds';
import type { Applied, MovementResult } from './operation';
import { countReview } from './settle';
import { availableOf, balanceOf, withValue, type LedgerState, type Movement, append } from './state';

/** Credits an account once per reference. */
export function topUp(
  state: LedgerState,
  { accountId, amountNano, reference }: TopUp,
): Applied<MovementResult> {
  const before = state.fundings.get(reference);
  if (before) return { state, answer: answerOfBefore(before, accountId, amountNano) };
  const after = append(state, accountId, { kind: 'top_up', deltaNano: amountNano });
  const balanceAfterNano = balanceOf(after, accountId);
  const fundings = withValue(state.fundings, reference, { accountId, amountNano, balanceAfterNano });
  return { state: { ...after, fundings }, answer: { created: true, balanceAfterNano } };
}

/** Corrects a balance once per reference. Held amounts cannot be deducted. */
export function adjust(
  state: LedgerState,
  { accountId, amountNano, reference }: Adjustment,
): Applied<MovementResult> {
  const before = state.adjustments.get(reference);
  if (before) return { state, answer: answerOfBefore(before, accountId, amountNano) };
  if (availableOf(state, accountId) + amountNano < 0n) return { state, answer: 'insufficient_funds' };
  const after = append(state, accountId, { kind: 'adjustment', deltaNano: amountNano });
  const balanceAfterNano = balanceOf(after, accountId);
  const adjustments = withValue(state.adjustments, reference, { accountId, amountNano, balanceAfterNano });
  return { state: { ...after, adjustments }, answer: { created: true, balanceAfterNano } };
}

/** This many charges per account and day are refunded without a review. */
const LOST_WITHOUT_REVIEW = 2;

/**
 * Refunds a charge once if nothing of its response was written: it then counts as abandoned. An uncharged or
 * free request refunds nothing.
 */
export function refund(state: LedgerState, chargeId: string): Applied<boolean> {
  for (const [accountId, { entries }] of state.accounts) {
    const charge = entries.find((entry) => entry.kind === 'charge' && entry.chargeId === chargeId);
    if (!charge) continue;
    const isRefunded = entries.some((entry) => entry.kind === 'refund' && entry.chargeId === chargeId);
    if (isRefunded) return { state, answer: false };
    const deltaNano = toNanoUsd(0n - charge.deltaNano);
    const refunded = append(state, accountId, { kind: 'refund', deltaNano, chargeId });
    return { state: countLost(refunded, chargeId), answer: true };
  }
  return { state, answer: false };
}

function countLost(state: LedgerState, chargeId: string): LedgerState {
  const record = state.usageRecords.get(chargeId);
  if (!record) throw new Error(`the charge ${chargeId} has a usage record`);
  const { hold, usage, costNano } = record;
  const lost = { hold, costNano, wasCharged: true, route: undefined };
  const counted = { ...state, abandoned: withValue(state.abandoned, chargeId, lost) };
  const ofTheDay = [...counted.abandoned.values()].filter(
    ({ hold: other, wasCharged }) =>
      wasCharged &&
      other.admission.accountId === hold.admission.accountId &&
      other.admittedOn.day === hold.admittedOn.day,
  );
  if (ofTheDay.length <= LOST_WITHOUT_REVIEW) return counted;
  // The held amount is no longer known: the charge replaces it.
  const charged = { ...hold, admission: { ...hold.admission, amountNano: costNano } };
  return countReview(counted, 'response_lost', charged, { ...usage, measuredCostNano: costNano });
}

function answerOfBefore(before: Movement, accountId: string, amountNano: NanoUsd): MovementResult {
  if (before.accountId !== accountId || before.amountNano !== amountNano) return 'reference_taken';
  return { created: false, balanceAfterNano: before.balanceAfterNano };
}
