import type pg from 'pg';

export interface LeaseOptions {
  pool: pg.Pool;
  gatewayInstanceId: string;
  /** How long holds are safe from the sweep after the last renewal. */
  leaseMs: number;
  /** Called when a renewal fails; the next one is tried as planned. */
  onError: (error: unknown) => void;
}

export interface Lease {
  /** Ends the lease at once, so that whatever is still held may be swept. */
  end(): Promise<void>;
}

/** Takes a gateway's lease and renews it three times in its length. Throws where the first renewal fails. */
export async function startLease({
  pool,
  gatewayInstanceId,
  leaseMs,
  onError,
}: LeaseOptions): Promise<Lease> {
  const renew = async (): Promise<void> => {
    await pool.query({
      name: 'renew_lease',
      text: `INSERT INTO gateway_instance (id, lease_expires_at)
             VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
             ON CONFLICT (id) DO UPDATE SET lease_expires_at = excluded.lease_expires_at`,
      values: [gatewayInstanceId, leaseMs],
    });
  };
  await renew();
  const timer = setInterval(() => {
    renew().catch(onError);
  }, leaseMs / 3);
  return {
    async end() {
      clearInterval(timer);
      const text = 'UPDATE gateway_instance SET lease_expires_at = clock_timestamp() WHERE id = $1';
      await pool.query({ text, values: [gatewayInstanceId] });
    },
  };
}
