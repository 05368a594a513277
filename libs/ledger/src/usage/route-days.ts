import type { Queryable } from '@farebox/database';
import { toNanoUsd, type NanoUsd } from '@farebox/money';
import { idsOfUncharged } from './ids-of-times';

/** The requests of a UTC day that one model of an upstream answered, by the day of their admission. */
export interface RouteDay {
  /** `2026-10-05`. */
  day: string;
  upstreamId: string;
  upstreamModel: string;
  /** Charged requests; their tokens include those of caches and of reasoning. */
  requests: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  /** Paid by customers, minus refunds. */
  soldNano: NanoUsd;
  /** According to the catalogue, as far as it states costs. */
  costNano: NanoUsd;
  requestsWithoutCost: number;
  /** Requests whose tokens were counted by the service itself. */
  estimatedRequests: number;
  /** Requests whose client left before anything was delivered. */
  abandonedRequests: number;
  /** Charged streams that went on at the upstream after their client had left. */
  abandonedRests: number;
  /** The estimated cost of both. */
  abandonedNano: NanoUsd;
}

type Sums = Omit<RouteDay, 'day' | 'upstreamId' | 'upstreamModel'>;

/** A charge is written this long after its admission at most. */
const LONGEST_REQUEST = '2 days';

/**
 * Reads the requests to upstreams on the UTC days from `from` until before `to`. Limited to the time for which request
 * records are kept.
 */
export async function readRouteDays(
  db: Queryable,
  { from, to, upstreamIds }: { from: Date; to: Date; upstreamIds: readonly string[] },
): Promise<RouteDay[]> {
  const { rows } = await db.query<
    Record<keyof Sums, string> & Pick<RouteDay, 'day' | 'upstreamId' | 'upstreamModel'>
  >(
    `SELECT day::text, upstream_id AS "upstreamId", upstream_model AS "upstreamModel",
            sum(requests) AS requests, sum(prompt) AS "promptTokens", sum(completion) AS "completionTokens",
            sum(cached) AS "cachedTokens", sum(cache_write) AS "cacheWriteTokens", sum(sold) AS "soldNano",
            sum(cost) AS "costNano", sum(unknown) AS "requestsWithoutCost", sum(estimated) AS "estimatedRequests",
            sum(abandoned) AS "abandonedRequests", sum(rests) AS "abandonedRests", sum(abandoned_nano) AS "abandonedNano"
     FROM (
       SELECT u.day, r.upstream_id, r.upstream_model, count(*) AS requests, sum(u.prompt_tokens) AS prompt,
              sum(u.completion_tokens) AS completion, sum(coalesce(u.cached_tokens, 0)) AS cached,
              sum(coalesce(u.cache_write_tokens, 0)) AS cache_write,
              sum(u.cost_nano - coalesce(e.amount_nano, 0)) AS sold, coalesce(sum(r.cost_nano), 0) AS cost,
              count(*) FILTER (WHERE r.cost_nano IS NULL) AS unknown, count(*) FILTER (WHERE u.estimated) AS estimated,
              0 AS abandoned, 0 AS rests, 0 AS abandoned_nano
       FROM usage_record u
       JOIN usage_route r ON r.id = u.id
       LEFT JOIN ledger_entry e ON e.refunded_entry_id = u.id
       WHERE u.created_at >= $1 AND u.created_at < $2::timestamptz + interval '${LONGEST_REQUEST}'
         AND u.day >= ($1 AT TIME ZONE 'UTC')::date AND u.day < ($2 AT TIME ZONE 'UTC')::date
         AND r.upstream_id = ANY ($3)
       GROUP BY 1, 2, 3
       UNION ALL
       SELECT a.day, a.upstream_id, a.upstream_model, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              count(*) FILTER (WHERE NOT a.was_charged), count(*) FILTER (WHERE a.is_rest), sum(a.cost_nano)
       FROM abandoned_request a
       WHERE (NOT a.was_charged OR a.is_rest) AND a.upstream_id = ANY ($3)
         AND a.day >= ($1 AT TIME ZONE 'UTC')::date AND a.day < ($2 AT TIME ZONE 'UTC')::date
       GROUP BY 1, 2, 3
     ) each
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    [from, to, upstreamIds],
  );
  return rows.map(({ day, upstreamId, upstreamModel, soldNano, costNano, abandonedNano, ...counts }) => ({
    ...{ day, upstreamId, upstreamModel },
    ...(Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)])) as Omit<
      Sums,
      'soldNano' | 'costNano' | 'abandonedNano'
    >),
    soldNano: toNanoUsd(BigInt(soldNano)),
    costNano: toNanoUsd(BigInt(costNano)),
    abandonedNano: toNanoUsd(BigInt(abandonedNano)),
  }));
}

/** Requests of a UTC day that ended with an error after their model was asked, or could not be. */
export interface FailedDay {
  day: string;
  modelId: string;
  requests: number;
}

/** Failed requests by day and model, without those whose client left: which upstream failed them is not recorded. */
export async function readFailedDays(
  db: Queryable,
  { from, to, modelIds }: { from: Date; to: Date; modelIds: readonly string[] },
): Promise<FailedDay[]> {
  const { rows } = await db.query<FailedDay>(
    `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, model_id AS "modelId", count(*)::int AS requests
     FROM uncharged_request
     WHERE created_at >= $1 AND created_at < $2 AND outcome = 'failed'
       AND error_code IS NOT NULL AND model_id = ANY ($3)
     GROUP BY 1, 2`,
    [from, to, modelIds],
  );
  return rows;
}

/** Failed requests of a period by model, without those whose client left. */
export async function readFailedRequests(
  db: Queryable,
  { from, to }: { from: Date; to: Date },
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ modelId: string; requests: number }>(
    `SELECT model_id AS "modelId", count(*)::int AS requests FROM uncharged_request
     WHERE created_at >= $1 AND created_at < $2 AND outcome = 'failed' AND error_code IS NOT NULL
       AND model_id IS NOT NULL AND id >= $3 AND id < $4
     GROUP BY 1`,
    [from, to, ...idsOfUncharged({ from, to })],
  );
  return new Map(rows.map(({ modelId, requests }) => [modelId, requests]));
}
