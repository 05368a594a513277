import type { Queryable } from '@farebox/database';
import { toNanoUsd, type NanoUsd } from '@farebox/money';

/** From `from` until before `to`, at most `limit` groups. Limited to the time for which requests are kept. */
interface Period {
  from: Date;
  to: Date;
  limit: number;
}

const REVENUE_GROUPS = {
  day: `to_char(u.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  hour: `to_char(u.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:00')`,
  model: 'u.model_id',
  account: 'u.account_id::text',
  key: 'u.api_key_id::text',
} as const;
export type RevenueGroup = keyof typeof REVENUE_GROUPS;

export interface Revenue {
  /** A day or hour in UTC, the id of a model, or the UUID of an account or key. */
  group: string;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  /** Charges minus refunds. */
  revenueNano: NanoUsd;
}

/** Revenue by time, oldest first, or by anything else, highest first. */
export async function readRevenue(
  db: Queryable,
  { from, to, limit, by }: Period & { by: RevenueGroup },
): Promise<Revenue[]> {
  const order = by === 'day' || by === 'hour' ? '1' : 'sum(u.cost_nano - coalesce(e.amount_nano, 0)) DESC, 1';
  const { rows } = await db.query<Record<keyof Revenue, string>>(
    `SELECT ${REVENUE_GROUPS[by]} AS "group", count(*) AS requests, sum(u.prompt_tokens) AS "promptTokens",
            sum(u.completion_tokens) AS "completionTokens",
            sum(u.cost_nano - coalesce(e.amount_nano, 0))::text AS "revenueNano"
     FROM usage_record u LEFT JOIN ledger_entry e ON e.refunded_entry_id = u.id
     WHERE u.created_at >= $1 AND u.created_at < $2 GROUP BY 1 ORDER BY ${order} LIMIT $3`,
    [from, to, limit],
  );
  return rows.map(({ group, requests, promptTokens, completionTokens, revenueNano }) => ({
    group,
    ...{ requests: Number(requests), promptTokens: Number(promptTokens) },
    ...{ completionTokens: Number(completionTokens), revenueNano: toNanoUsd(BigInt(revenueNano)) },
  }));
}

const REFUSAL_GROUPS = {
  code: `coalesce(error_code, 'client_gone')`,
  model: 'model_id',
  account: 'account_id::text',
  key: 'api_key_id::text',
} as const;
export type RefusalGroup = keyof typeof REFUSAL_GROUPS;

export interface Refusals {
  /** An error code, the id of a model, or the UUID of an account or key; null for an unknown model. */
  group: string | null;
  refused: number;
  failed: number;
  accounts: number;
  lastAt: Date;
}

/** Requests that cost nothing because they were refused or failed, most frequent first; of one error code, or of all. */
export async function readRefusals(
  db: Queryable,
  { from, to, limit, by, code }: Period & { by: RefusalGroup; code: string | undefined },
): Promise<Refusals[]> {
  const { rows } = await db.query<Refusals>(
    `SELECT ${REFUSAL_GROUPS[by]} AS "group", count(*) FILTER (WHERE outcome = 'refused')::int AS refused,
            count(*) FILTER (WHERE outcome = 'failed')::int AS failed,
            count(DISTINCT account_id)::int AS accounts, max(created_at) AS "lastAt"
     FROM uncharged_request
     WHERE created_at >= $1 AND created_at < $2 AND ($4::text IS NULL OR error_code = $4)
     GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT $3`,
    [from, to, limit, code ?? null],
  );
  return rows;
}

export interface RouteUse {
  upstreamId: string;
  upstreamModel: string;
  requests: number;
  /** Requests that broke off after something was delivered. */
  brokeOff: number;
  timedOut: number;
  clientGone: number;
  /** Of whole requests, and of the first token of streams; null if there was none. */
  medianMs: number;
  p95Ms: number;
  medianFirstTokenMs: number | null;
  p95FirstTokenMs: number | null;
}

/** Charged requests by route, most used first. */
export async function readRouteUse(db: Queryable, { from, to, limit }: Period): Promise<RouteUse[]> {
  const { rows } = await db.query<RouteUse>(
    `SELECT r.upstream_id AS "upstreamId", r.upstream_model AS "upstreamModel", count(*)::int AS requests,
            count(*) FILTER (WHERE u.outcome = 'upstream_failed')::int AS "brokeOff",
            count(*) FILTER (WHERE u.outcome = 'upstream_timeout')::int AS "timedOut",
            count(*) FILTER (WHERE u.outcome = 'client_gone')::int AS "clientGone",
            percentile_disc(0.5) WITHIN GROUP (ORDER BY u.latency_ms) AS "medianMs",
            percentile_disc(0.95) WITHIN GROUP (ORDER BY u.latency_ms) AS "p95Ms",
            percentile_disc(0.5) WITHIN GROUP (ORDER BY u.first_token_ms) AS "medianFirstTokenMs",
            percentile_disc(0.95) WITHIN GROUP (ORDER BY u.first_token_ms) AS "p95FirstTokenMs"
     FROM usage_record u JOIN usage_route r ON r.id = u.id
     WHERE u.created_at >= $1 AND u.created_at < $2
     GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2 LIMIT $3`,
    [from, to, limit],
  );
  return rows;
}
