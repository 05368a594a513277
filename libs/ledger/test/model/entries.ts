import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type { Adjustment, TopUp } from '../../src/account-funds';
import type { Applied, MovementResult } from './operation';
import {
  accountOf,
  availableOf,
  balanceOf,
  withValue,
  type Entry,
  type LedgerState,
  type Movement,
} from './state';

/** Continues an account's journal by one entry. */
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

/** Credits an account, once for each reference. */
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

/** Corrects a balance, once for each reference. What is held cannot be taken. */
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

/** Gives a charge back, once. What was not charged, or cost nothing, gives nothing back. */
export function refund(state: LedgerState, chargeId: string): Applied<boolean> {
  for (const [accountId, { entries }] of state.accounts) {
    const charge = entries.find((entry) => entry.kind === 'charge' && entry.chargeId === chargeId);
    if (!charge) continue;
    const isRefunded = entries.some((entry) => entry.kind === 'refund' && entry.chargeId === chargeId);
    if (isRefunded) return { state, answer: false };
    const deltaNano = toNanoUsd(0n - charge.deltaNano);
    return { state: append(state, accountId, { kind: 'refund', deltaNano, chargeId }), answer: true };
  }
  return { state, answer: false };
}

function answerOfBefore(before: Movement, accountId: string, amountNano: NanoUsd): MovementResult {
  if (before.accountId !== accountId || before.amountNano !== amountNano) return 'reference_taken';
  return { created: false, balanceAfterNano: before.balanceAfterNano };
}
