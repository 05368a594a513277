import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';
import { readSummedBefore, type SummedBefore } from './sum-usage';
import { usageQuery, type UsageFilter, type UsageGrouping } from './usage-query';
import { segmentsOf } from './usage-segments';
import type { HourRange } from './usage-time';

/** What was used of the service and charged for it. Refunds are not taken off: they are transactions of their own. */
export interface UsageTotals {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  costNano: NanoUsd;
}

/** Usage of one hour, day, model or key. */
export interface UsageGroup extends UsageTotals {
  /** Unix seconds of the beginning of an hour or a day, the id of a model, or the UUID of a key. */
  group: string;
}

export interface UsageQuestion extends UsageFilter {
  range: HourRange;
  groupBy: UsageGrouping;
}

/** A line for each group; null where there is none. */
interface GroupLines {
  group: string | null;
  requests: string;
  prompt_tokens: string;
  completion_tokens: string;
  cost_nano: string;
}

/**
 * What an account used in a range of hours, by the hour of the charge; only groups in which there was usage, in no
 * order. Reads counts and sums, never the requests: the cost follows the groups, not the requests.
 */
export async function readUsage(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { range, groupBy, ...filter }: UsageQuestion,
  summedBefore: SummedBefore = () => readSummedBefore(pool),
): Promise<UsageGroup[]> {
  const segments = segmentsOf(range, { summedBefore: await summedBefore(), byHour: groupBy === 'hour' });
  if (segments.length === 0) return [];
  const { rows } = await pool.query<GroupLines>(usageQuery(accountId, segments, groupBy, filter));
  const [lines] = rows;
  return lines ? toGroups(lines) : [];
}

function toGroups(lines: GroupLines): UsageGroup[] {
  if (lines.group === null) return [];
  const requests = lines.requests.split('\n');
  const promptTokens = lines.prompt_tokens.split('\n');
  const completionTokens = lines.completion_tokens.split('\n');
  const costs = lines.cost_nano.split('\n');
  return lines.group.split('\n').map((group, i) => ({
    group,
    requests: Number(requests[i]),
    promptTokens: Number(promptTokens[i]),
    completionTokens: Number(completionTokens[i]),
    costNano: toNanoUsd(BigInt(costs[i] ?? '')),
  }));
}
