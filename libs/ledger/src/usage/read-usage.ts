import { toNanoUsd, TOKEN_COLUMNS, type NanoUsd, type TokenKind } from '@farebox/money';
import type pg from 'pg';
import {
  isOfDays,
  isReadAt,
  segmentsOf,
  TABLES,
  type Parameter,
  type UsageSegment,
  type UsageSource,
} from './segments';
import { ANY_KEY, type HourRange } from './usage-sums';

/** Charged usage. Refunds are not deducted: they are separate transactions. */
export interface UsageTotals extends Record<TokenKind, number> {
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

/**
 * An account's usage in a range of hours, by the hour of the charge: only groups with usage, unordered. Reads
 * counts and sums, never the requests, so that the cost depends on the number of groups. The end of the sums
 * is read in the same statement, so that concurrent summing causes neither gaps nor duplicates.
 */
export async function readUsage(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { range, groupBy, ...filter }: UsageQuestion,
): Promise<UsageGroup[]> {
  // The hours of a day are stored in total, by key and by model, but not by key and model together.
  const hasDays = groupBy !== 'hour' || filter.apiKeyId === undefined || filter.modelId === undefined;
  const segments = segmentsOf(range, hasDays);
  if (segments.length === 0) return [];
  const { rows } = await pool.query<{ lines: string | null }>(
    usageQuery(accountId, segments, groupBy, filter),
  );
  const lines = rows[0]?.lines;
  return lines == null ? [] : toGroups(lines);
}

/**
 * Parses the output of `lineOf` digit by digit: splitting a month of hours into texts first took four times
 * as long.
 */
function toGroups(lines: string): UsageGroup[] {
  const groups: UsageGroup[] = [];
  let at = 0;
  const digitAt = (place: number): number => lines.charCodeAt(place) - ZERO;
  const nextCount = (): number => {
    let count = 0;
    for (let digit = digitAt(at); digit >= 0; digit = digitAt(++at)) count = count * 10 + digit;
    at++;
    return count;
  };
  const nextText = (separator: string): string => {
    const from = at;
    const to = lines.indexOf(separator, from);
    at = (to < 0 ? lines.length : to) + 1;
    return lines.slice(from, at - 1);
  };
  while (at < lines.length) {
    groups.push({
      requests: nextCount(),
      promptTokens: nextCount(),
      completionTokens: nextCount(),
      // Named, in the order of TOKEN_COLUMNS: for a year by the hour, `byTokenKind` takes as long as all the rest.
      cachedTokens: nextCount(),
      cacheWriteTokens: nextCount(),
      reasoningTokens: nextCount(),
      costNano: toNanoUsd(BigInt(nextText(' '))),
      group: nextText('\n'),
    });
  }
  return groups;
}

const ZERO = '0'.charCodeAt(0);

/** How usage is grouped. Hours and days are in UTC. */
type UsageGrouping = 'hour' | 'day' | 'model' | 'api_key';

/** Restricts usage to one key or one model. */
export interface UsageFilter {
  apiKeyId?: string | undefined;
  modelId?: string | undefined;
}

/** Model id of a `usage_sum` row for all models. */
const ANY_MODEL = '';

const SUMS = [...['requests', 'prompt_tokens', 'completion_tokens'], ...[...TOKEN_COLUMNS, 'cost_nano']];
const summedUp = SUMS.map((column) => `sum(${column})::bigint AS ${column}`).join(', ');
const asTheyAre = SUMS.map((column) => `${column}::bigint AS ${column}`).join(', ');

/**
 * One query over all segments of a range. It returns a single text with a line for each group, because a row
 * for each of 720 hours took the driver twice as long as everything else.
 *
 * The parameters are in a row hidden from the planner (`OFFSET 0`). If it saw the values, it might find
 * specific plans so much better than the generic one that it never keeps that, and plan each query again,
 * which takes longer than running it.
 */
function usageQuery(
  accountId: string,
  segments: readonly UsageSegment[],
  groupBy: UsageGrouping,
  filter: UsageFilter,
): { name: string; text: string; values: unknown[] } {
  const values: unknown[] = [accountId];
  const given = ['$1::uuid AS account_id'];
  const parameter: Parameter = (value, type) => {
    const place = String(values.push(value));
    given.push(`$${place}::${type} AS value_${place}`);
    return `given.value_${place}`;
  };
  const parts = segments.map((segment) => {
    // No two segments of a range contain the same hour.
    if (groupBy !== 'hour') return partOf(segment, groupBy, filter, parameter);
    if (isOfDays(segment.source)) return hoursOfDays(segment, filter, parameter);
    return `SELECT ${lineOf('hour')} AS line FROM (${partOf(segment, 'hour', filter, parameter)}) part`;
  });
  const all = parts.join(' UNION ALL ');
  const lines =
    groupBy === 'hour'
      ? all
      : `SELECT ${lineOf(groupBy)} AS line
         FROM (SELECT "group", ${summedUp} FROM (${all}) part GROUP BY part."group") part`;
  const text = `SELECT string_agg(line, E'\\n') AS lines
    FROM (SELECT summed_before, date_trunc('day', summed_before, 'UTC') AS open_day, ${given.join(', ')}
          FROM usage_sum_state WHERE id = 1 OFFSET 0) given
    CROSS JOIN LATERAL (${lines}) each_group`;
  return { name: nameOf(segments, groupBy, filter), text, values };
}

/**
 * The format of `toGroups`, in which the hours of days are stored. Ids of keys and models contain no spaces.
 */
function lineOf(groupBy: UsageGrouping): string {
  const isTime = groupBy === 'hour' || groupBy === 'day';
  return `concat_ws(' ', ${SUMS.join(', ')}, ${isTime ? `date_part('epoch', "group")::bigint` : '"group"'})`;
}

/** The lines of the hours of days, or those of the sums if the former are not stored. */
function hoursOfDays(
  segment: UsageSegment,
  { apiKeyId, modelId }: UsageFilter,
  parameter: Parameter,
): string {
  const grain = grainOf(segment.source, apiKeyId !== undefined, modelId !== undefined);
  const days = `FROM ${TABLES[segment.source]} WHERE account_id = given.account_id AND grain = '${grain}'
    AND api_key_id = ${apiKeyId === undefined ? `'${ANY_KEY}'` : parameter(apiKeyId, 'uuid')}
    AND model_id = ${modelId === undefined ? `'${ANY_MODEL}'` : parameter(modelId, 'text')}
    AND ${isReadAt('starts_at', segment, parameter)}`;
  // The current day always has them.
  if (segment.source === 'open_day') return `SELECT hours AS line ${days}`;
  return `SELECT hours AS line ${days} AND hours IS NOT NULL
    UNION ALL
    SELECT ${lineOf('hour')} FROM (SELECT api_key_id, model_id, starts_at ${days} AND hours IS NULL) unkept
    CROSS JOIN LATERAL (
      SELECT h.starts_at AS "group", ${SUMS.map((sum) => `h.${sum}`).join(', ')} FROM usage_sum h
      WHERE h.account_id = given.account_id AND h.grain = '${grain.replace('day', 'hour')}' AND h.api_key_id = unkept.api_key_id
        AND h.model_id = unkept.model_id AND h.starts_at >= unkept.starts_at
        AND h.starts_at < unkept.starts_at + interval '24 hours' OFFSET 0) part`;
}

/**
 * Names the query after the parts that determine its text: PostgreSQL plans it once per connection, which
 * takes longer than running it.
 */
function nameOf(
  segments: readonly UsageSegment[],
  groupBy: UsageGrouping,
  { apiKeyId, modelId }: UsageFilter,
): string {
  const filter = `${apiKeyId === undefined ? '' : '_of_key'}${modelId === undefined ? '' : '_of_model'}`;
  return `usage_by_${groupBy}${filter}_${segments.map(({ source }) => SOURCE_LETTERS[source]).join('')}`;
}

const SOURCE_LETTERS: Record<UsageSource, string> = {
  summed_hours: 'h',
  summed_days: 'd',
  open_day: 'o',
  hours_of_last_day: 'l',
  counts: 'c',
};

/**
 * The usage of a segment: each hour once, other groups possibly in several rows, which the outer query adds
 * up.
 */
function partOf(
  segment: UsageSegment,
  groupBy: UsageGrouping,
  { apiKeyId, modelId }: UsageFilter,
  parameter: Parameter,
): string {
  const { source } = segment;
  const isByKey = groupBy === 'api_key' || apiKeyId !== undefined;
  const isByModel = groupBy === 'model' || modelId !== undefined;
  // Hours by both key and model are not summed: they equal the counts.
  const isCounted = source === 'counts' || (!isOfDays(source) && isByKey && isByModel);
  const time = isCounted ? 'hour' : 'starts_at';
  const conditions = [`account_id = given.account_id`, isReadAt(time, segment, parameter)];
  if (apiKeyId !== undefined) conditions.push(`api_key_id = ${parameter(apiKeyId, 'uuid')}`);
  else if (!isCounted && !isByKey) conditions.push(`api_key_id = '${ANY_KEY}'`);
  if (modelId !== undefined) conditions.push(`model_id = ${parameter(modelId, 'text')}`);
  else if (!isCounted && !isByModel) conditions.push(`model_id = '${ANY_MODEL}'`);
  if (!isCounted) conditions.push(`grain = '${grainOf(source, isByKey, isByModel)}'`);
  const rows = `FROM ${isCounted ? TABLES.counts : TABLES[source]} WHERE ${conditions.join(' AND ')}`;
  const group = `${GROUP_EXPRESSIONS[groupBy](time)} AS "group"`;
  // A sum covers exactly one hour or one day.
  if (!isCounted && (groupBy === 'hour' || groupBy === 'day')) return `SELECT ${group}, ${asTheyAre} ${rows}`;
  return `SELECT ${group}, ${summedUp} ${rows} GROUP BY ${isCounted ? COUNTED_BY[groupBy] : '1'}`;
}

function grainOf(source: UsageSource, isByKey: boolean, isByModel: boolean): string {
  return `${isOfDays(source) ? 'day' : 'hour'}${isByKey ? '_key' : ''}${isByModel ? '_model' : ''}`;
}

const GROUP_EXPRESSIONS: Record<UsageGrouping, (time: string) => string> = {
  hour: (time) => time,
  day: (time) => `date_trunc('day', ${time}, 'UTC')`,
  model: () => 'model_id',
  api_key: () => 'api_key_id',
};

/** Group expressions for counts: those in index order avoid sorting a thousand rows of an hour. */
const COUNTED_BY: Record<UsageGrouping, string> = {
  hour: 'hour',
  day: 'hour',
  model: 'model_id',
  api_key: 'hour, api_key_id',
};
