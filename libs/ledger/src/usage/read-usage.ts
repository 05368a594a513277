import { DAY_MS } from '@farebox/errors';
import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';
import { ANY_KEY, ceilTo, floorTo, readSummedBefore, type HourRange, type SummedBefore } from './usage-sums';

/** What was used of the service and charged for it. Refunds are not taken off: they are transactions of their own. */
export interface UsageTotals {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  /** Of those, as far as upstreams told. */
  cachedTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
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

/** A line for each group; null if there is none. */
interface GroupLines {
  group: string | null;
  requests: string;
  prompt_tokens: string;
  completion_tokens: string;
  cached_tokens: string;
  cache_write_tokens: string;
  reasoning_tokens: string;
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
  const cachedTokens = lines.cached_tokens.split('\n');
  const cacheWriteTokens = lines.cache_write_tokens.split('\n');
  const reasoningTokens = lines.reasoning_tokens.split('\n');
  const costs = lines.cost_nano.split('\n');
  return lines.group.split('\n').map((group, i) => ({
    group,
    requests: Number(requests[i]),
    promptTokens: Number(promptTokens[i]),
    completionTokens: Number(completionTokens[i]),
    cachedTokens: Number(cachedTokens[i]),
    cacheWriteTokens: Number(cacheWriteTokens[i]),
    reasoningTokens: Number(reasoningTokens[i]),
    costNano: toNanoUsd(BigInt(costs[i] ?? '')),
  }));
}

/** Sums over closed hours or days, or the counts by hour, key and model that charges write. */
type UsageSource = 'hours' | 'summed_hours' | 'summed_days';

/** A part of a range of usage, and where it is read. */
export interface UsageSegment extends HourRange {
  source: UsageSource;
}

/**
 * Where a range of usage is read from: whole days that have been summed, summed hours around them, and the counts by
 * the hour for what is not summed yet. Together they are the range, without a gap and without an overlap.
 */
export function segmentsOf(
  { from, to }: HourRange,
  { summedBefore, byHour }: { summedBefore: Date; byHour: boolean },
): UsageSegment[] {
  const summedTo = earlier(to, later(from, summedBefore));
  const daysFrom = byHour ? summedTo : earlier(ceilTo(DAY_MS, from), summedTo);
  const daysTo = byHour ? summedTo : later(daysFrom, floorTo(DAY_MS, summedTo));
  const segments: UsageSegment[] = [
    { source: 'summed_hours', from, to: daysFrom },
    { source: 'summed_days', from: daysFrom, to: daysTo },
    { source: 'summed_hours', from: daysTo, to: summedTo },
    { source: 'hours', from: summedTo, to },
  ];
  return segments.filter((segment) => segment.from < segment.to);
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}

/** What usage is told apart by. Hours and days are those of UTC. */
type UsageGrouping = 'hour' | 'day' | 'model' | 'api_key';

/** Usage of one key or one model alone. */
export interface UsageFilter {
  apiKeyId?: string | undefined;
  modelId?: string | undefined;
}

/** What `usage_sum` has for the model in a row that is about all models. */
const ANY_MODEL = '';

const SUMS = [
  ...['requests', 'prompt_tokens', 'completion_tokens'],
  ...['cached_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cost_nano'],
];
const summedUp = SUMS.map((column) => `sum(${column})::bigint AS ${column}`).join(', ');
const asTheyAre = SUMS.map((column) => `${column}::bigint AS ${column}`).join(', ');

/**
 * One query over all segments of a range. It answers one row, whose columns have a line for each group: a row for each
 * of 720 hours took the driver twice as long as everything else (`npm run bench -- usage`).
 */
function usageQuery(
  accountId: string,
  segments: readonly UsageSegment[],
  groupBy: UsageGrouping,
  filter: UsageFilter,
): { name: string; text: string; values: unknown[] } {
  const values: unknown[] = [accountId];
  const parameter = (value: unknown, type: string): string => `$${String(values.push(value))}::${type}`;
  const parts = segments.map((segment) => partOf(segment, groupBy, filter, parameter)).join(' UNION ALL ');
  const group =
    groupBy === 'hour' || groupBy === 'day' ? `date_part('epoch', "group")::bigint` : '"group"::text';
  // Of the segments of a range, no two have the same hour.
  const groups =
    groupBy === 'hour' ? parts : `SELECT "group", ${summedUp} FROM (${parts}) part GROUP BY part."group"`;
  const text = `SELECT ${inLines(group)} AS "group", ${SUMS.map((sum) => `${inLines(sum)} AS ${sum}`).join(', ')}
                FROM (${groups}) each_group`;
  return { name: nameOf(segments, groupBy, filter), text, values };
}

/** Of the query's text, which these say: PostgreSQL plans it once a connection, which takes longer than to run it. */
function nameOf(
  segments: readonly UsageSegment[],
  groupBy: UsageGrouping,
  { apiKeyId, modelId }: UsageFilter,
): string {
  const filter = `${apiKeyId === undefined ? '' : '_of_key'}${modelId === undefined ? '' : '_of_model'}`;
  return `usage_by_${groupBy}${filter}_${segments.map(({ source }) => SOURCE_LETTERS[source]).join('')}`;
}

const SOURCE_LETTERS: Record<UsageSegment['source'], string> = {
  hours: 'c',
  summed_hours: 'h',
  summed_days: 'd',
};

/** No id of a model, and no number, has a line's end in it. */
function inLines(expression: string): string {
  return `string_agg((${expression})::text, E'\\n')`;
}

/** The usage of a segment, each group once. */
function partOf(
  { source, from, to }: UsageSegment,
  groupBy: UsageGrouping,
  { apiKeyId, modelId }: UsageFilter,
  parameter: (value: unknown, type: string) => string,
): string {
  const isByKey = groupBy === 'api_key' || apiKeyId !== undefined;
  const isByModel = groupBy === 'model' || modelId !== undefined;
  // An hour of a key and a model is not summed again: it is what the charges count.
  const isCounted = source === 'hours' || (source === 'summed_hours' && isByKey && isByModel);
  const time = isCounted ? 'hour' : 'starts_at';
  const conditions = ['account_id = $1', `${time} >= ${parameter(from, 'timestamptz')}`];
  conditions.push(`${time} < ${parameter(to, 'timestamptz')}`);
  if (apiKeyId !== undefined) conditions.push(`api_key_id = ${parameter(apiKeyId, 'uuid')}`);
  else if (!isCounted && !isByKey) conditions.push(`api_key_id = '${ANY_KEY}'`);
  if (modelId !== undefined) conditions.push(`model_id = ${parameter(modelId, 'text')}`);
  else if (!isCounted && !isByModel) conditions.push(`model_id = '${ANY_MODEL}'`);
  if (!isCounted) conditions.push(`grain = '${grainOf(source, isByKey, isByModel)}'`);
  const rows = `FROM ${isCounted ? 'usage_hour' : 'usage_sum'} WHERE ${conditions.join(' AND ')}`;
  const isGrouped = !isCounted && groupBy === (source === 'summed_days' ? 'day' : 'hour');
  const group = `${GROUP_EXPRESSIONS[groupBy](time)} AS "group"`;
  return isGrouped
    ? `SELECT ${group}, ${asTheyAre} ${rows}`
    : `SELECT ${group}, ${summedUp} ${rows} GROUP BY 1`;
}

function grainOf(source: UsageSegment['source'], isByKey: boolean, isByModel: boolean): string {
  return `${source === 'summed_days' ? 'day' : 'hour'}${isByKey ? '_key' : ''}${isByModel ? '_model' : ''}`;
}

const GROUP_EXPRESSIONS: Record<UsageGrouping, (time: string) => string> = {
  hour: (time) => time,
  day: (time) => `date_trunc('day', ${time}, 'UTC')`,
  model: () => 'model_id',
  api_key: () => 'api_key_id',
};
