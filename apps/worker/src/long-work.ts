import type { Pool, PoolClient } from 'pg';

/** What runs on the connections of a pool. */
export interface LongWork {
  /**
   * Ends what has not ended by itself when `done` has, or after a while: its statements fail, and its transactions roll
   * back. Waits for `done`.
   */
  endWith(done: Promise<void>): Promise<void>;
}

const GRACE_MS = 5_000;

/** To be called before the pool is used. A stop does not wait for work of minutes: its job is delivered again. */
export function watchLongWork(pool: Pool, graceMs = GRACE_MS): LongWork {
  const clients = new Set<PoolClient>();
  pool.on('connect', (client) => clients.add(client));
  pool.on('remove', (client) => clients.delete(client));
  const cut = (): void => {
    // With a statement under way this cuts the connection, as the types do not say of a pool's client.
    for (const client of clients) (client as unknown as { end(done: () => void): void }).end(() => undefined);
  };
  return {
    async endWith(done) {
      const timer = setTimeout(cut, graceMs);
      try {
        await done;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
