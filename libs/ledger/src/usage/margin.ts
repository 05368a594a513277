import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';
import { parametersFrom, partsOfSales, readSalesSummedBefore, salesOf, type SalesTable } from './sales';

/** How margins are grouped. */
export type MarginGroup = 'model' | 'upstream' | 'account';

export interface Margin {
  /** The id of a model, an upstream or an account; null for an unknown upstream. */
  group: string | null;
  requests: number;
  /** Charges minus refunds. */
  revenueNano: NanoUsd;
  /** Upstream costs, as far as routes state them. */
  costNano: NanoUsd;
  /** Requests of unknown cost, and what they brought: a part of the revenue that nothing is set against. */
  requestsWithoutCost: number;
  revenueWithoutCostNano: NanoUsd;
  /**
   * Requests whose client left before anything was delivered, and their cost, including what aborted streams
   * cost beyond their charges: not part of `costNano`.
   */
  abandonedRequests: number;
  abandonedNano: NanoUsd;
}

const GROUPS: Record<MarginGroup, { table: SalesTable; column: string }> = {
  model: { table: 'sales_by_route', column: 'model_id' },
  upstream: { table: 'sales_by_route', column: 'upstream_id' },
  account: { table: 'sales_by_key', column: 'account_id' },
};

/**
 * Revenue and cost of the requests charged from `from` until before `to`, highest revenue first, and the
 * aborted requests of that time. The cost of a refunded charge stays with its route.
 */
export async function readMargins(
  db: Pick<pg.Pool, 'query'>,
  { from, to, by }: { from: Date; to: Date; by: MarginGroup },
): Promise<Margin[]> {
  const { table, column } = GROUPS[by];
  const parts = partsOfSales({ from, to }, await readSalesSummedBefore(db), true);
  const values: unknown[] = [from, to];
  const { rows } = await db.query<
    Record<
      'requests' | 'revenue' | 'cost' | 'unknown' | 'unknown_nano' | 'abandoned' | 'abandoned_nano',
      string
    > & { group: string | null }
  >(
    `SELECT "group"::text, sum(requests) AS requests, sum(revenue) AS revenue, sum(cost) AS cost, sum(unknown) AS unknown,
            sum(unknown_nano) AS unknown_nano, sum(abandoned) AS abandoned, sum(abandoned_nano) AS abandoned_nano
     FROM (
       SELECT ${column} AS "group", sum(requests) AS requests, sum(charged_nano - refunded_nano) AS revenue,
              sum(cost_nano) AS cost, sum(unknown_requests) AS unknown, sum(unknown_nano) AS unknown_nano,
              0 AS abandoned, 0 AS abandoned_nano, sum(charged_nano) AS charged_nano
       FROM (${salesOf(table, { from, to }, parts, 'withCosts', parametersFrom(values))}) sold
       GROUP BY 1
       UNION ALL
       SELECT a.${column}, 0, 0, 0, 0, 0, count(*) FILTER (WHERE NOT a.was_charged), sum(a.cost_nano), 0
       FROM abandoned_request a
       WHERE (NOT a.was_charged OR a.is_rest) AND a.created_at >= $1 AND a.created_at < $2
       GROUP BY 1
     ) each
     GROUP BY each."group" ORDER BY sum(charged_nano) DESC, each."group"`,
    values,
  );
  return rows.map((row) => ({
    group: row.group,
    requests: Number(row.requests),
    revenueNano: toNanoUsd(BigInt(row.revenue)),
    costNano: toNanoUsd(BigInt(row.cost)),
    requestsWithoutCost: Number(row.unknown),
    revenueWithoutCostNano: toNanoUsd(BigInt(row.unknown_nano)),
    abandonedRequests: Number(row.abandoned),
    abandonedNano: toNanoUsd(BigInt(row.abandoned_nano)),
  }));
}
