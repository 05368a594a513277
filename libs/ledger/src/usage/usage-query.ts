import { ANY_KEY } from './any-key';
import type { UsageSegment } from './usage-segments';

/** What usage is told apart by. Hours and days are those of UTC. */
export type UsageGrouping = 'hour' | 'day' | 'model' | 'api_key';

/** Usage of one key or one model alone. */
export interface UsageFilter {
  apiKeyId?: string | undefined;
  modelId?: string | undefined;
}

/** What `usage_sum` has for the model in a row that is about all models. */
const ANY_MODEL = '';

const SUMS = ['requests', 'prompt_tokens', 'completion_tokens', 'cost_nano'];
const summedUp = SUMS.map((column) => `sum(${column})::bigint AS ${column}`).join(', ');
const asTheyAre = SUMS.map((column) => `${column}::bigint AS ${column}`).join(', ');

/**
 * One query over all segments of a range. It answers one row, whose columns have a line for each group: a row for each
 * of 720 hours took the driver twice as long as everything else (`npm run bench -- usage`).
 */
export function usageQuery(
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
