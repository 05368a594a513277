import type { Queryable } from '@farebox/database';
import { parametersFrom, partsOfSales, readSalesSummedBefore, type Parameter, type SalesPart } from './sales';
import type { HourRange } from './usage-sums';

export interface RouteUse {
  upstreamId: string;
  upstreamModel: string;
  requests: number;
  /** Requests that broke off after something was delivered. */
  brokeOff: number;
  timedOut: number;
  clientGone: number;
  /** Times of whole requests, and to the first token of streams; null if there was none. */
  medianMs: number;
  p95Ms: number;
  medianFirstTokenMs: number | null;
  p95FirstTokenMs: number | null;
}

/**
 * Charged requests by route, most used first, at most `limit` routes. Times are read from sums that have each of them with
 * the number of requests that took it: what they tell is exact.
 */
export async function readRouteUse(
  db: Queryable,
  { limit, ...range }: HourRange & { limit: number },
): Promise<RouteUse[]> {
  const parts = partsOfSales(range, await readSalesSummedBefore(db), true);
  const values: unknown[] = [];
  const parameter = parametersFrom(values);
  const { rows } = await db.query<RouteUse>(
    `WITH record AS MATERIALIZED (${recordsOf(parts, parameter)}),
          summed AS (${sumsOf(parts, parameter)}),
          route AS MATERIALIZED (
            SELECT upstream_id, upstream_model, sum(requests)::int AS requests, sum(broke_off)::int AS broke_off,
                   sum(timed_out)::int AS timed_out, sum(client_gone)::int AS client_gone
            FROM (
              SELECT upstream_id, upstream_model, requests, broke_off, timed_out, client_gone FROM summed
              UNION ALL
              SELECT upstream_id, upstream_model, 1, (outcome = 'upstream_failed')::int, (outcome = 'upstream_timeout')::int,
                     (outcome = 'client_gone')::int
              FROM record
            ) counted
            GROUP BY 1, 2 ORDER BY sum(requests) DESC, 1, 2 LIMIT ${parameter(limit)}
          )
     SELECT route.upstream_id AS "upstreamId", route.upstream_model AS "upstreamModel", requests, broke_off AS "brokeOff",
            timed_out AS "timedOut", client_gone AS "clientGone", whole.median AS "medianMs", whole.p95 AS "p95Ms",
            first.median AS "medianFirstTokenMs", first.p95 AS "p95FirstTokenMs"
     FROM route
     CROSS JOIN LATERAL (${percentilesOf('latency')}) whole
     CROSS JOIN LATERAL (${percentilesOf('first_token')}) first
     ORDER BY requests DESC, 1, 2`,
    values,
  );
  return rows;
}

const COLUMNS = 'upstream_id, upstream_model';

/** Records that are not summed yet. A request whose route is not known belongs to none. */
function recordsOf(parts: readonly SalesPart[], parameter: Parameter): string {
  const columns = `${COLUMNS}, outcome, latency_ms, first_token_ms`;
  return union(
    parts.filter(({ source }) => source === 'records'),
    ({ from, to }) =>
      `SELECT ${columns} FROM ledger_charged_requests(${parameter(from)}::timestamptz, ${parameter(to)}::timestamptz)
       WHERE upstream_id IS NOT NULL`,
    `SELECT ${columns} FROM ledger_charged_requests('epoch', 'epoch')`,
  );
}

function sumsOf(parts: readonly SalesPart[], parameter: Parameter): string {
  return union(
    parts.filter(({ source }) => source !== 'records'),
    ({ source, from, to }) =>
      `SELECT * FROM sales_by_route
       WHERE grain = '${source}' AND starts_at >= ${parameter(from)} AND starts_at < ${parameter(to)} AND upstream_id <> ''`,
    'SELECT * FROM sales_by_route WHERE false',
  );
}

const union = (parts: readonly SalesPart[], toSql: (part: SalesPart) => string, nothing: string): string =>
  parts.length === 0 ? nothing : parts.map(toSql).join(' UNION ALL ');

/** The median and the 95th percentile of a time of a route: the lowest values that cover that share of its requests. */
const percentilesOf = (what: 'latency' | 'first_token'): string => `
  SELECT min(ms) FILTER (WHERE up_to >= 0.5 * in_all) AS median, min(ms) FILTER (WHERE up_to >= 0.95 * in_all) AS p95
  FROM (
    SELECT ms, sum(requests) OVER (ORDER BY ms) AS up_to, sum(requests) OVER () AS in_all
    FROM (
      SELECT ms, sum(n)::int AS requests
      FROM (
        SELECT unnest(${what}_ms) AS ms, unnest(${what}_requests) AS n FROM summed
        WHERE summed.upstream_id = route.upstream_id AND summed.upstream_model = route.upstream_model
        UNION ALL
        SELECT ${what}_ms, 1 FROM record
        WHERE record.upstream_id = route.upstream_id AND record.upstream_model = route.upstream_model
          AND ${what}_ms IS NOT NULL
      ) taken
      GROUP BY 1
    ) each
  ) counted`;
