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
}

const GROUPS: Record<MarginGroup, string> = {
  model: 'u.model_id',
  upstream: 'r.upstream_id',
  account: 'u.account_id::text',
};

/**
 * What requests brought in and what they cost, of those that were charged from `from` until before `to`: those of the
 * highest revenue first. Reads as far back as request records are kept.
 */
export async function readMargins(
  db: Pick<pg.Pool, 'query'>,
  { from, to, by }: { from: Date; to: Date; by: MarginGroup },
): Promise<Margin[]> {
  const { rows } = await db.query<
    Record<'requests' | 'revenue' | 'cost' | 'unknown', string> & { group: string | null }
  >(
    `SELECT ${GROUPS[by]} AS "group", count(*) AS requests,
            sum(u.cost_nano - coalesce(e.amount_nano, 0)) AS revenue, coalesce(sum(r.cost_nano), 0) AS cost,
            count(*) FILTER (WHERE r.cost_nano IS NULL) AS unknown
     FROM usage_record u
     LEFT JOIN usage_route r ON r.id = u.id
     LEFT JOIN ledger_entry e ON e.refunded_entry_id = u.id
     WHERE u.created_at >= $1 AND u.created_at < $2
     GROUP BY 1 ORDER BY sum(u.cost_nano) DESC, 1`,
    [from, to],
  );
  return rows.map((row) => ({
    group: row.group,
    requests: Number(row.requests),
    revenueNano: toNanoUsd(BigInt(row.revenue)),
    costNano: toNanoUsd(BigInt(row.cost)),
    requestsWithoutCost: Number(row.unknown),
  }));
}
