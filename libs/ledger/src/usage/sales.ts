import type { Queryable } from '@farebox/database';
import { DAY_MS, HOUR_MS } from '@farebox/flow';
import { ceilTo, floorTo, type HourRange } from './usage-sums';

/** A safety limit for the loop, above the number of hours of any first run. */
const MOST_STEPS = 100_000;

/** Sums the sales of closed hours that are not summed yet. Returns their number. */
export async function sumClosedSales(pool: Queryable): Promise<number> {
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const { rows } = await pool.query<{ summed: boolean }>('SELECT ledger_sum_sales() AS summed');
    if (rows[0]?.summed !== true) return steps;
  }
  return MOST_STEPS;
}

/** Every hour before this time is summed. It only advances, and what is before it never changes. */
export async function readSalesSummedBefore(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ time: Date }>('SELECT summed_before AS time FROM sales_state');
  return rows[0]?.time ?? new Date(0);
}

/** A half-open range of time, with its source: the sums of days or of hours, or the records of requests. */
export interface SalesPart {
  source: 'day' | 'hour' | 'records';
  from: Date;
  to: Date;
}

/**
 * Splits a range of time by source: as many whole days as are summed, the summed hours around them, and the records of
 * what is left. Each request of the range is in exactly one part.
 */
export function partsOfSales(
  { from, to }: HourRange,
  summedBefore: Date,
  withDays: boolean,
): readonly SalesPart[] {
  const hours = within({ from: ceilTo(HOUR_MS, from), to: floorTo(HOUR_MS, earlier(to, summedBefore)) });
  if (!hours) return [{ source: 'records', from, to }];
  const days = within({ from: ceilTo(DAY_MS, hours.from), to: floorTo(DAY_MS, hours.to) });
  const parts: SalesPart[] =
    days && withDays
      ? [
          { source: 'hour', from: hours.from, to: days.from },
          { source: 'day', ...days },
          { source: 'hour', from: days.to, to: hours.to },
        ]
      : [{ source: 'hour', ...hours }];
  return [
    { source: 'records' as const, from, to: hours.from },
    ...parts,
    { source: 'records' as const, from: hours.to, to },
  ].filter((part) => part.from < part.to);
}

const earlier = (a: Date, b: Date): Date => (a < b ? a : b);
const within = (range: HourRange): HourRange | undefined => (range.from < range.to ? range : undefined);

/** Adds a value to a query, and returns its placeholder. */
export type Parameter = (value: unknown) => string;

/** The values of a query, which begin with these. */
export function parametersFrom(values: unknown[]): Parameter {
  return (value) => `$${String(values.push(value))}`;
}

/** Which sums a report reads: those by model and upstream, or those by account and key. */
export type SalesTable = 'sales_by_route' | 'sales_by_key';

const GROUPS_OF: Record<SalesTable, string> = {
  sales_by_route: `model_id, nullif(upstream_id, '') AS upstream_id, NULL::uuid AS account_id, NULL::uuid AS api_key_id`,
  sales_by_key: 'NULL AS model_id, NULL AS upstream_id, account_id, api_key_id',
};

/** The records of a range of time, each with its route; or without: of an hour, that reads 300 pages instead of 43,000. */
const RECORDS = {
  withCosts: (from: string, to: string): string => `ledger_charged_requests(${from}, ${to})`,
  withoutCosts: (from: string, to: string): string => `
    (SELECT created_at, model_id, NULL AS upstream_id, account_id, api_key_id, prompt_tokens, completion_tokens,
            cost_nano AS charged_nano, NULL::bigint AS cost_nano
     FROM usage_record WHERE created_at >= ${from} AND created_at < ${to}) record`,
};

/**
 * SQL: the sales of a range of time from its parts, one row for each sum or request, and one for what was given back of
 * each request, whenever that was.
 */
export function salesOf(
  table: SalesTable,
  { from, to }: HourRange,
  parts: readonly SalesPart[],
  costs: keyof typeof RECORDS,
  parameter: Parameter,
): string {
  const sold = parts.map((part) => {
    const [start, end] = [`${parameter(part.from)}::timestamptz`, `${parameter(part.to)}::timestamptz`];
    return part.source === 'records'
      ? `SELECT created_at AS at, model_id, upstream_id, account_id, api_key_id, 1 AS requests, prompt_tokens,
                completion_tokens, charged_nano, 0 AS refunded_nano, coalesce(cost_nano, 0) AS cost_nano,
                (cost_nano IS NULL)::int AS unknown_requests,
                CASE WHEN cost_nano IS NULL THEN charged_nano ELSE 0 END AS unknown_nano
         FROM ${RECORDS[costs](start, end)}`
      : `SELECT starts_at, ${GROUPS_OF[table]}, requests, prompt_tokens, completion_tokens, charged_nano, 0, cost_nano,
                unknown_requests, unknown_nano
         FROM ${table} WHERE grain = '${part.source}' AND starts_at >= ${start} AND starts_at < ${end}`;
  });
  const refunded = `
    SELECT created_at AS at, model_id, upstream_id, account_id, api_key_id, 0 AS requests, 0 AS prompt_tokens,
           0 AS completion_tokens, 0 AS charged_nano, refunded_nano, 0 AS cost_nano, 0 AS unknown_requests,
           CASE WHEN cost_nano IS NULL THEN -refunded_nano ELSE 0 END AS unknown_nano
    FROM ledger_refunded_requests(${parameter(from)}::timestamptz, ${parameter(to)}::timestamptz)`;
  return [refunded, ...sold].join(' UNION ALL ');
}
