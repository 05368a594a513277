import type pg from 'pg';

/** The gateways that hold these requests and are gone have not been heard of for longer than a lease. */
export async function expireLeases(pool: pg.Pool, requestIds: readonly string[]): Promise<void> {
  await pool.query(
    `UPDATE gateway_instance SET lease_expires_at = now()
     WHERE id IN (SELECT gateway_instance_id FROM hold WHERE request_id = ANY ($1))`,
    [requestIds],
  );
}
