import type { Queryable } from '@farebox/database';

/** `repeated`: already noted or applied. `full`: too many are waiting; Stripe must deliver it again. */
export type NoticeOutcome = 'noted' | 'repeated' | 'full';

/** Records that Stripe delivered an event, by its id (`evt_…`). Moves no money. */
export async function notePaymentEvent(pool: Queryable, eventId: string): Promise<NoticeOutcome> {
  const { rows } = await pool.query<{ outcome: NoticeOutcome }>('SELECT payment_note_event($1) AS outcome', [
    eventId,
  ]);
  const [row] = rows;
  if (!row) throw new Error('the database answered no row');
  return row.outcome;
}

export interface PaymentNotice {
  eventId: string;
  receivedAt: Date;
  /** Including this one. */
  attempts: number;
}

/** Claims due notices, oldest first. For `leaseMs` nobody else gets them; then they are due again. */
export async function claimPaymentNotices(
  pool: Queryable,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<PaymentNotice[]> {
  const { rows } = await pool.query<PaymentNotice>(
    `WITH chosen AS (
       SELECT event_id FROM payment_notice WHERE due_at <= clock_timestamp()
       ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
     )
     UPDATE payment_notice n SET attempts = n.attempts + 1, due_at = clock_timestamp() + $2 * interval '1 ms'
     FROM chosen WHERE n.event_id = chosen.event_id
     RETURNING n.event_id AS "eventId", n.received_at AS "receivedAt", n.attempts`,
    [limit, leaseMs],
  );
  return rows;
}

/** Makes a notice due again in `pauseMs`. */
export async function putOffPaymentNotice(pool: Queryable, eventId: string, pauseMs: number): Promise<void> {
  await pool.query(
    `UPDATE payment_notice SET due_at = clock_timestamp() + $2 * interval '1 ms' WHERE event_id = $1`,
    [eventId, pauseMs],
  );
}

/** Deletes a notice once its event is committed or known to be irrelevant. */
export async function closePaymentNotice(pool: Queryable, eventId: string): Promise<void> {
  await pool.query('DELETE FROM payment_notice WHERE event_id = $1', [eventId]);
}

/** Age of the oldest notice, 0 if there is none. */
export async function readOldestNoticeSeconds(pool: Queryable): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `SELECT coalesce(extract(epoch FROM clock_timestamp() - min(received_at)), 0)::float8 AS seconds FROM payment_notice`,
  );
  return rows[0]?.seconds ?? 0;
}
