import type pg from 'pg';

export interface LeaseOptions {
  pool: pg.Pool;
  gatewayInstanceId: string;
  /** How long holds are safe from the sweep after the last renewal. */
  leaseMs: number;
  /** Called when a renewal fails; the next one is tried soon. */
  onError: (error: unknown) => void;
  /** Called with each renewal: the gateway's holds whose account has no access any more. */
  onBarred: (holdIds: string[]) => void;
}

/** After a failure: a database that is back must not wait for a third of the lease. */
const RETRY_PAUSE_MS = 500;

/**
 * Takes a gateway's lease and renews it three times in its length. With each renewal it looks for holds of accounts that
 * were suspended. Throws if the first renewal fails.
 */
export async function startLease({ pool, gatewayInstanceId, leaseMs, onError, onBarred }: LeaseOptions) {
  let liveUntilMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  async function renew(): Promise<void> {
    const askedAtMs = performance.now();
    await pool.query({
      name: 'renew_lease',
      text: `SELECT ledger_renew_lease($1, $2 * interval '1 millisecond')`,
      values: [gatewayInstanceId, leaseMs],
    });
    liveUntilMs = askedAtMs + leaseMs;
  }

  async function endBarred(): Promise<void> {
    const { rows } = await pool.query<{ id: string }>({
      name: 'barred_holds',
      text: 'SELECT ledger_barred_holds($1) AS id',
      values: [gatewayInstanceId],
    });
    if (rows.length > 0) onBarred(rows.map(({ id }) => id));
  }

  function renewIn(pauseMs: number): void {
    if (hasEnded) return;
    timer = setTimeout(() => {
      renew()
        .then(endBarred)
        .then(
          () => {
            renewIn(leaseMs / 3);
          },
          (error: unknown) => {
            onError(error);
            renewIn(Math.min(RETRY_PAUSE_MS, leaseMs / 3));
          },
        );
    }, pauseMs);
  }

  await renew();
  renewIn(leaseMs / 3);
  return {
    /** Whether it was renewed in time, as far as is known. Nothing is admitted without it. */
    get isLive() {
      return performance.now() < liveUntilMs;
    },
    /** Ends the lease at once, so that remaining holds may be swept. */
    async end() {
      hasEnded = true;
      clearTimeout(timer);
      const text = 'SELECT ledger_end_lease($1)';
      await pool.query({ text, values: [gatewayInstanceId] });
    },
  };
}

const SWEEP_BATCH = 500;
/** After this long, a stopped gateway's row no longer helps anybody to find a cause. */
const PURGE_AFTER = '1 day';

/**
 * Releases the holds of gateways that stopped renewing their lease, each with a review record, and purges gateways
 * that have long been gone. Returns the number of holds released.
 */
export async function sweepAbandonedHolds(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  let released = 0;
  for (;;) {
    const { rows } = await pool.query<{ swept: number }>('SELECT ledger_sweep($1) AS swept', [SWEEP_BATCH]);
    const swept = rows[0]?.swept ?? 0;
    released += swept;
    if (swept === 0) break;
  }
  await pool.query('SELECT ledger_purge_gateways($1::interval)', [PURGE_AFTER]);
  return released;
}
