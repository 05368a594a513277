import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';

/** What is told apart. */
export type MarginGroup = 'model' | 'upstream' | 'account';

export interface Margin {
  /** The id of a model or an account; of an upstream, null if it is not known which one answered. */
  group: string | null;
  requests: number;
  /** Charges less what of them was given back. */
  revenueNano: NanoUsd;
  /** What upstreams cost, as far as routes say. */
  costNano: NanoUsd;
  /** Requests whose cost is not known: they are in the revenue, and not in the cost. */
  requestsWithoutCost: number;
  /**
   * Requests whose client left before anything was delivered, and what those cost, with what left streams cost beyond their
   * charges: not in the cost.
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
 * What requests brought in and what they cost, of those that were charged from `from` until before `to`: those of the
 * highest revenue first; and what was abandoned in that time. What a charge that was given back cost is in its route's cost.
 * Reads as far back as request records are kept.
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
