import type { Queryable } from '@farebox/database';
import { toNanoUsd, type NanoUsd } from '@farebox/money';
import { idsOfUncharged } from './ids-of-times';
import { parametersFrom, partsOfSales, readSalesSummedBefore, salesOf } from './sales';

/** From `from` until before `to`, at most `limit` groups. Requests are read as long as they are kept, sums for ever. */
interface Period {
  from: Date;
  to: Date;
  limit: number;
}

const REVENUE_GROUPS = {
  day: `to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  hour: `to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:00')`,
  model: 'model_id',
  account: 'account_id',
  key: 'api_key_id',
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
  { by, ...period }: Period & { by: RevenueGroup },
): Promise<Revenue[]> {
  const order = by === 'day' || by === 'hour' ? '1' : 'sum(charged_nano - refunded_nano) DESC, 1';
  const parts = partsOfSales(period, await readSalesSummedBefore(db), by !== 'hour');
  const values: unknown[] = [];
  const parameter = parametersFrom(values);
  const table = by === 'account' || by === 'key' ? 'sales_by_key' : 'sales_by_route';
  const { rows } = await db.query<Record<keyof Revenue, string>>(
    `SELECT ${REVENUE_GROUPS[by]} AS "group", sum(requests) AS requests, sum(prompt_tokens) AS "promptTokens",
            sum(completion_tokens) AS "completionTokens", sum(charged_nano - refunded_nano)::text AS "revenueNano"
     FROM (${salesOf(table, period, parts, 'withoutCosts', parameter)}) sold
     GROUP BY 1 HAVING sum(requests) > 0 ORDER BY ${order} LIMIT ${parameter(period.limit)}`,
    values,
  );
  return rows.map(({ group, requests, promptTokens, completionTokens, revenueNano }) => ({
    group,
    ...{ requests: Number(requests), promptTokens: Number(promptTokens) },
    ...{ completionTokens: Number(completionTokens), revenueNano: toNanoUsd(BigInt(revenueNano)) },
  }));
}

const REFUSAL_GROUPS = {
  hour: `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:00')`,
  code: `coalesce(error_code, 'client_gone')`,
  model: 'model_id',
  account: 'account_id::text',
  key: 'api_key_id::text',
} as const;
export type RefusalGroup = keyof typeof REFUSAL_GROUPS;

export interface Refusals {
  /** An hour in UTC, an error code, the id of a model, or the UUID of an account or key; null for an unknown model. */
  group: string | null;
  refused: number;
  failed: number;
  accounts: number;
  lastAt: Date;
}

/**
 * Requests that cost nothing because they were refused or failed, by time, oldest first, or by anything else, most
 * frequent first; of one error code, or of all.
 */
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
       AND id >= $5 AND id < $6
     GROUP BY 1 ORDER BY ${by === 'hour' ? '1' : 'count(*) DESC, 1'} LIMIT $3`,
    [from, to, limit, code ?? null, ...idsOfUncharged({ from, to })],
  );
  return rows;
}
