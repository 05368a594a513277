import { toNanoUsd, ZERO_NANO, type NanoUsd } from '@farebox/money';
import { accountOf, type CalendarDay, type Hold, type LedgerState } from './state';

/** What a day or a month has seen: requests under way count as what they hold. */
export interface Count {
  requests: number;
  spentNano: NanoUsd;
  heldNano: NanoUsd;
}

export interface UsageTotal {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  costNano: NanoUsd;
}

export function balanceOf(state: LedgerState, accountId: string): NanoUsd {
  return accountOf(state, accountId).entries.at(-1)?.balanceAfterNano ?? ZERO_NANO;
}

/** The sum of the holds, and of what open reviews reserve. */
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

/** What was charged for a model through an API key. */
export function usageTotal(state: LedgerState, apiKeyId: string, modelId: string): UsageTotal {
  let total: UsageTotal = { requests: 0, promptTokens: 0, completionTokens: 0, costNano: ZERO_NANO };
  for (const { hold, usage, costNano } of state.usageRecords.values()) {
    if (hold.admission.apiKeyId !== apiKeyId || hold.admission.modelId !== modelId) continue;
    total = {
      requests: total.requests + 1,
      promptTokens: total.promptTokens + usage.promptTokens,
      completionTokens: total.completionTokens + usage.completionTokens,
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
 * A request counts while it is held, while its failed charge waits for an operator, and when it was charged. One that
 * was given back still counts as a request, and as nothing spent.
 */
function countOf(state: LedgerState, isCounted: (hold: Hold) => boolean): Count {
  let requests = 0;
  let spentNano = 0n;
  let heldNano = 0n;
  for (const hold of state.holds.values()) {
    if (!isCounted(hold)) continue;
    requests++;
    heldNano += hold.admission.amountNano;
  }
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
  return { requests, spentNano: toNanoUsd(spentNano), heldNano: toNanoUsd(heldNano) };
}
