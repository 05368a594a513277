import type { Queryable } from '@farebox/database';
import type { AttemptError } from './send-webhook';

/** An event and what became of it at an endpoint. */
export interface Delivery {
  endpointId: string;
  /** The same for each attempt. */
  eventId: string;
  type: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** The last attempt has a status, or a reason why there was none. */
  responseStatus: number | null;
  error: AttemptError | null;
  createdAt: Date;
  /** Null after the end. */
  nextAttemptAt: Date | null;
  endedAt: Date | null;
}

const DELIVERIES = `SELECT d.endpoint_id AS "endpointId", d.event_id AS "eventId", e.type, d.state, d.attempts,
         d.response_status AS "responseStatus", d.error, e.created_at AS "createdAt",
         CASE WHEN d.ended_at IS NULL THEN d.due_at END AS "nextAttemptAt", d.ended_at AS "endedAt"
  FROM webhook_delivery d JOIN webhook_event e ON e.id = d.event_id`;

/** Lists the deliveries of an endpoint, newest first: at most `count`, after the event `afterId`. */
export async function listDeliveries(
  endpointId: string,
  db: Queryable,
  { afterId, count }: { afterId?: string | undefined; count: number },
): Promise<Delivery[]> {
  const { rows } = await db.query<Delivery>(
    `${DELIVERIES}
     WHERE d.endpoint_id = $1 AND ($2::uuid IS NULL OR d.event_id < $2) ORDER BY d.event_id DESC LIMIT $3`,
    [endpointId, afterId, count],
  );
  return rows;
}

/** The delivery of an event to an endpoint; undefined if there is none. */
export async function findDelivery(
  endpointId: string,
  db: Queryable,
  eventId: string,
): Promise<Delivery | undefined> {
  const where = 'WHERE d.endpoint_id = $1 AND d.event_id = $2';
  const { rows } = await db.query<Delivery>(`${DELIVERIES} ${where}`, [endpointId, eventId]);
  return rows[0];
}
