import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';

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
  /** Requests of unknown cost: included in the revenue, but not in the cost. */
  requestsWithoutCost: number;
  /**
   * Requests whose client left before anything was delivered, and their cost, including what aborted streams
   * cost beyond their charges: not part of `costNano`.
   */
  abandonedRequests: number;
  abandonedNano: NanoUsd;
}

const GROUPS: Record<MarginGroup, { charged: string; abandoned: string }> = {
  model: { charged: 'u.model_id', abandoned: 'a.model_id' },
  upstream: { charged: 'r.upstream_id', abandoned: 'a.upstream_id' },
  account: { charged: 'u.account_id::text', abandoned: 'a.account_id::text' },
};

/**
 * Revenue and cost of the requests charged from `from` until before `to`, highest revenue first, and the
 * aborted requests of that time. The cost of a refunded charge stays with its route. Limited to the time for
 * which request records are kept.
 */
export async function readMargins(
  db: Pick<pg.Pool, 'query'>,
  { from, to, by }: { from: Date; to: Date; by: MarginGroup },
): Promise<Margin[]> {
  const { rows } = await db.query<
    Record<'requests' | 'revenue' | 'cost' | 'unknown' | 'abandoned' | 'abandoned_nano', string> & {
      group: string | null;
    }
  >(
    `SELECT "group", sum(requests) AS requests, sum(revenue) AS revenue, sum(cost) AS cost, sum(unknown) AS unknown,
            sum(abandoned) AS abandoned, sum(abandoned_nano) AS abandoned_nano
     FROM (
       SELECT ${GROUPS[by].charged} AS "group", count(*) AS requests,
              sum(u.cost_nano - coalesce(e.amount_nano, 0)) AS revenue, coalesce(sum(r.cost_nano), 0) AS cost,
              count(*) FILTER (WHERE r.cost_nano IS NULL) AS unknown, 0 AS abandoned, 0 AS abandoned_nano,
              sum(u.cost_nano) AS charged_nano
       FROM usage_record u
       LEFT JOIN usage_route r ON r.id = u.id
       LEFT JOIN ledger_entry e ON e.refunded_entry_id = u.id
       WHERE u.created_at >= $1 AND u.created_at < $2
       GROUP BY 1
       UNION ALL
       SELECT ${GROUPS[by].abandoned}, 0, 0, 0, 0, count(*) FILTER (WHERE NOT a.was_charged), sum(a.cost_nano), 0
       FROM abandoned_request a
       WHERE (NOT a.was_charged OR a.is_rest) AND a.created_at >= $1 AND a.created_at < $2
       GROUP BY 1
     ) each
     GROUP BY 1 ORDER BY sum(charged_nano) DESC, 1`,
    [from, to],
  );
  return rows.map((row) => ({
    group: row.group,
    requests: Number(row.requests),
    revenueNano: toNanoUsd(BigInt(row.revenue)),
    costNano: toNanoUsd(BigInt(row.cost)),
    requestsWithoutCost: Number(row.unknown),
    abandonedRequests: Number(row.abandoned),
    abandonedNano: toNanoUsd(BigInt(row.abandoned_nano)),
  }));
}
