import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';
import type { ReviewReason } from './reviews';

/** Amounts held by running requests in all gateways, and amounts that wait for an operator. */
export interface MoneyAtRisk {
  holds: { count: number; amountNano: NanoUsd; oldestSeconds: number };
  openReviews: Record<ReviewReason, number>;
  /** Gateways by whether their lease is live. A lost one is purged with its last hold. */
  leases: { live: number; lapsed: number };
}

interface Row {
  holds: number;
  held_nano: bigint;
  oldest_seconds: number;
  gateway_lost: number;
  usage_over_hold: number;
  usage_implausible: number;
  charge_failed: number;
  response_lost: number;
  live: number;
  lapsed: number;
}

/** Reads only short tables, which contain unfinished work. */
export async function readMoneyAtRisk(pool: Pick<pg.Pool, 'query'>): Promise<MoneyAtRisk> {
  const { rows } = await pool.query<Row>({ name: 'money_at_risk', text: SQL });
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL answered no row');
  return {
    holds: { count: row.holds, amountNano: toNanoUsd(row.held_nano), oldestSeconds: row.oldest_seconds },
    openReviews: {
      gateway_lost: row.gateway_lost,
      usage_over_hold: row.usage_over_hold,
      usage_implausible: row.usage_implausible,
      charge_failed: row.charge_failed,
      response_lost: row.response_lost,
    },
    leases: { live: row.live, lapsed: row.lapsed },
  };
}

const SQL = `
  SELECT h.*, r.*, g.*
  FROM (SELECT count(*)::int AS holds, coalesce(sum(amount_nano), 0)::bigint AS held_nano,
               coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS oldest_seconds
        FROM hold) h,
       (SELECT count(*) FILTER (WHERE reason = 'gateway_lost')::int AS gateway_lost,
               count(*) FILTER (WHERE reason = 'usage_over_hold')::int AS usage_over_hold,
               count(*) FILTER (WHERE reason = 'usage_implausible')::int AS usage_implausible,
               count(*) FILTER (WHERE reason = 'charge_failed')::int AS charge_failed,
               count(*) FILTER (WHERE reason = 'response_lost')::int AS response_lost
        FROM billing_review WHERE state = 'open') r,
       (SELECT count(*) FILTER (WHERE lease_expires_at > clock_timestamp())::int AS live,
               count(*) FILTER (WHERE lease_expires_at <= clock_timestamp())::int AS lapsed
        FROM gateway_instance) g`;
