import type { UsageGroup, UsageTotals } from '@farebox/ledger';
import { toNanoUsd, ZERO_NANO } from '@farebox/money';

const NOTHING: UsageTotals = { requests: 0, promptTokens: 0, completionTokens: 0, costNano: ZERO_NANO };

export function sumOf(usages: readonly UsageTotals[]): UsageTotals {
  return usages.reduce(
    (sum, usage) => ({
      requests: sum.requests + usage.requests,
      promptTokens: sum.promptTokens + usage.promptTokens,
      completionTokens: sum.completionTokens + usage.completionTokens,
      costNano: toNanoUsd(sum.costNano + usage.costNano),
    }),
    NOTHING,
  );
}

/** Highest cost first; of the same cost, more requests first; then by name, so that the order is always the same. */
export function byCost(groups: readonly UsageGroup[]): UsageGroup[] {
  return [...groups].sort(
    (a, b) => compare(b.costNano, a.costNano) || compare(b.requests, a.requests) || compare(a.group, b.group),
  );
}

function compare<Value extends bigint | number | string>(a: Value, b: Value): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A step of a series. */
export interface UsageStep extends UsageTotals {
  startsAt: Date;
}

/**
 * Every step of a range in order, with nothing where no usage was. `groups` are those of `readUsage` by the same unit;
 * the beginning of the range must be one of its steps.
 */
export function fillSeries(
  groups: readonly UsageGroup[],
  { from, to }: { from: Date; to: Date },
  unitMs: number,
): UsageStep[] {
  const groupAt = new Map(groups.map((group) => [Number(group.group) * 1_000, group]));
  const steps: UsageStep[] = [];
  for (let startMs = from.getTime(); startMs < to.getTime(); startMs += unitMs) {
    const { requests, promptTokens, completionTokens, costNano } = groupAt.get(startMs) ?? NOTHING;
    steps.push({ startsAt: new Date(startMs), requests, promptTokens, completionTokens, costNano });
  }
  return steps;
}
