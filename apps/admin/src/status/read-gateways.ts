import type { Pool } from 'pg';

/** A gateway process, as it said last that it lives. */
export interface GatewayLease {
  id: string;
  startedAt: Date;
  leaseExpiresAt: Date;
  /** One whose lease has lapsed is gone: the worker sweeps its holds, and forgets it. */
  isLive: boolean;
  holds: number;
}

const MOST_SHOWN = 100;

/** Newest first. */
export async function readGateways(db: Pick<Pool, 'query'>): Promise<GatewayLease[]> {
  const { rows } = await db.query<GatewayLease>(
    `SELECT g.id, g.started_at AS "startedAt", g.lease_expires_at AS "leaseExpiresAt",
            g.lease_expires_at > clock_timestamp() AS "isLive", coalesce(h.holds, 0) AS holds
     FROM gateway_instance g
     LEFT JOIN (SELECT gateway_instance_id, count(*)::int AS holds FROM hold GROUP BY 1) h
       ON h.gateway_instance_id = g.id
     ORDER BY g.started_at DESC, g.id DESC LIMIT $1`,
    [MOST_SHOWN],
  );
  return rows;
}
