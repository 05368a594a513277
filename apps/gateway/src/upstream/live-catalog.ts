import {
  readCatalogVersion,
  readCatalogWithCosts,
  type CatalogSnapshot,
  type Upstream,
} from '@farebox/catalog';
import type pg from 'pg';
import type { UpstreamClient } from './upstream-client';

/** The parts of the catalogue that a request needs, all of one version. */
export interface ServedCatalog {
  snapshot: CatalogSnapshot;
  clients: ReadonlyMap<string, UpstreamClient>;
}

export interface LiveCatalog {
  readonly current: ServedCatalog;
  close(): Promise<void>;
}

interface LiveCatalogOptions {
  pool: pg.Pool;
  createClient: (upstream: Upstream) => UpstreamClient;
  /** Interval at which the database is asked for a new version. */
  pollMs: number;
  onLoaded: (snapshot: CatalogSnapshot) => void;
  onError: (error: unknown) => void;
}

/** Reads the catalogue, and reads it again after each update. Throws if the first read fails. */
export async function openLiveCatalog(options: LiveCatalogOptions): Promise<LiveCatalog> {
  const { pool, onLoaded, onError } = options;
  let current = await load(options, new Map());
  onLoaded(current.snapshot);
  let polling = false;

  async function poll(): Promise<void> {
    if (polling) return;
    polling = true;
    try {
      if ((await readCatalogVersion(pool)) === current.snapshot.version) return;
      const former = current;
      current = await load(options, former.clients);
      onLoaded(current.snapshot);
      // Not awaited: a long stream on an old client must not delay the next version.
      closeUnused(former.clients, current.clients).catch(onError);
    } finally {
      polling = false;
    }
  }

  const timer = setInterval(() => {
    poll().catch(onError);
  }, options.pollMs);

  return {
    get current() {
      return current;
    },
    async close() {
      clearInterval(timer);
      await closeUnused(current.clients, new Map());
    },
  };
}

async function load(
  { pool, createClient }: LiveCatalogOptions,
  former: ReadonlyMap<string, UpstreamClient>,
): Promise<ServedCatalog> {
  const snapshot = await readCatalogWithCosts(pool);
  const clients = new Map<string, UpstreamClient>();
  for (const upstream of snapshot.upstreams.values()) {
    const known = former.get(upstream.id);
    const isSame = known && JSON.stringify(known.upstream) === JSON.stringify(upstream);
    clients.set(upstream.id, isSame ? known : createClient(upstream));
  }
  return { snapshot, clients };
}

/** Closes unused clients after their running requests have ended. */
async function closeUnused(
  former: ReadonlyMap<string, UpstreamClient>,
  current: ReadonlyMap<string, UpstreamClient>,
): Promise<void> {
  for (const [id, client] of former) {
    if (current.get(id) !== client) await client.close();
  }
}
