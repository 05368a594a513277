import { toUnixSeconds, type UsageTotals } from '@farebox/contracts';
import type { HourRange, UsageTotals as Totals } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import type { CsvColumn } from '../csv';

export function toTotals({ requests, promptTokens, completionTokens, costNano }: Totals): UsageTotals {
  return {
    requests,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    cost: toDecimalUsd(costNano),
  };
}

/** What every report says of the range that it is about. */
export function toRange({ from, to }: HourRange) {
  return { starts_at: toUnixSeconds(from), ends_at: toUnixSeconds(to), currency: 'usd' as const };
}

export const TOTALS_COLUMNS: readonly CsvColumn<UsageTotals>[] = [
  { name: 'requests', valueOf: (row) => row.requests },
  { name: 'prompt_tokens', valueOf: (row) => row.prompt_tokens },
  { name: 'completion_tokens', valueOf: (row) => row.completion_tokens },
  { name: 'total_tokens', valueOf: (row) => row.total_tokens },
  { name: 'cost', valueOf: (row) => row.cost },
  { name: 'currency', valueOf: () => 'usd' },
];
