import { setTimeout as sleep } from 'node:timers/promises';
import {
  applyMigrations,
  provideServiceLogin,
  startTemporaryPostgres,
  TEST_SERVICE_LOGIN,
  TEST_WORKER_LOGIN,
  urlFor,
} from '@farebox/local-services';
import pg from 'pg';
import type { Disturbance } from './restartable-process';

/** A fault of the database until it is ended. Ending it twice has no effect. */
export interface Trouble {
  end(): Promise<void>;
}

/** A database of a service that a test breaks. */
export interface ServiceDatabase {
  /** For gateways and the worker, with only their rights. */
  serviceUrl: string;
  workerUrl: string;
  /** For migrations. */
  ownerUrl: string;
  /** As the owner. */
  pool: pg.Pool;
  remove(): Promise<void>;
}

/** A PostgreSQL to be crashed. Its commits survive, as in production. */
export interface BreakableDatabase extends ServiceDatabase {
  readonly port: number;
  /** When it was away, or its connections were lost. */
  disturbances: readonly Disturbance[];
  /** Stops it like a crash. */
  stop(): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  /** Stops it like a crash and starts it again after `awayMs`. */
  crash(awayMs: number): Promise<void>;
  /** Registers a fault that a test begins, with the action that ends it. */
  begin(end: () => Promise<unknown>): Trouble;
  /** Ends every open fault, and starts the server if it is stopped, so that a failed test leaves none. */
  heal(): Promise<void>;
  /** Ends the server processes of the gateways' ledger connections. Returns their number. */
  endLedgerBackends(): Promise<number>;
  /**
   * Suspends the server processes that make commits durable, except the ledgers' own. Holds and charges
   * continue, and a crash loses them.
   */
  stopFlushes(): Promise<void>;
}

const DATABASE = 'breakable';
const MAX_STARTS = 10;
const START_PAUSE_MS = 200;
/** For a suspended server; one that is down refuses at once. */
const CONNECT_TIMEOUT_MS = 60_000;

export async function startBreakableDatabase(
  settings: Readonly<Record<string, string>> = {},
): Promise<BreakableDatabase> {
  // Without fsync a commit is in the operating system's buffers when it is answered, and that survives here.
  const durable = { synchronous_commit: 'on', full_page_writes: 'on' };
  const postgres = await startTemporaryPostgres({ ...durable, ...settings });
  const { server } = postgres;
  const prepared = await prepareDatabase(server.url(DATABASE), () => postgres.remove());
  const { pool } = prepared;
  const troubles = new Set<Trouble>();
  const disturbances: Disturbance[] = [];
  const disturb = (): Disturbance => {
    const disturbance = { fromMs: Date.now(), untilMs: Infinity };
    disturbances.push(disturbance);
    return disturbance;
  };
  const database: BreakableDatabase = {
    ...prepared,
    port: server.port,
    disturbances,
    async stop() {
      const disturbance = disturb();
      await server.stop('immediate');
      disturbance.goneAtMs = Date.now();
    },
    async start() {
      await startAgain(() => server.restart());
      for (const disturbance of disturbances) disturbance.untilMs = Math.min(disturbance.untilMs, Date.now());
    },
    async crash(awayMs) {
      await database.stop();
      await sleep(awayMs);
      await database.start();
    },
    begin(end) {
      const trouble = {
        async end() {
          if (troubles.delete(trouble)) await end();
        },
      };
      troubles.add(trouble);
      return trouble;
    },
    async heal() {
      if (!server.service.running) await database.start();
      for (const trouble of troubles) await trouble.end();
    },
    async endLedgerBackends() {
      const disturbance = disturb();
      const { rowCount } = await pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'farebox-ledger'`,
      );
      disturbance.untilMs = Date.now();
      return rowCount ?? 0;
    },
    async stopFlushes() {
      // A commit that waits for its flush also writes the commits of others.
      const { rows } = await pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE pid <> pg_backend_pid() AND backend_type IN ('client backend', 'walwriter', 'checkpointer')
           AND (application_name <> 'farebox-ledger' OR query LIKE '%pg_logical_emit_message%')`,
      );
      for (const { pid } of rows) stopProcess(pid);
    },
  };
  return database;
}

/** Migrates a new database and makes the services' logins. It owns the server, and removes that too if it fails. */
export async function prepareDatabase(
  ownerUrl: string,
  removeServer: () => Promise<void>,
): Promise<ServiceDatabase> {
  const pool = new pg.Pool({
    connectionString: ownerUrl,
    max: 4,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  const remove = async (): Promise<void> => {
    await pool.end();
    await removeServer();
  };
  try {
    await applyMigrations(ownerUrl);
    for (const login of [TEST_SERVICE_LOGIN, TEST_WORKER_LOGIN]) await provideServiceLogin(ownerUrl, login);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    serviceUrl: urlFor(TEST_SERVICE_LOGIN, ownerUrl),
    workerUrl: urlFor(TEST_WORKER_LOGIN, ownerUrl),
    ownerUrl,
    pool,
    remove,
  };
}

function stopProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGSTOP');
  } catch {
    // Its connection was closed meanwhile.
  }
}

/** Processes of the previous server may still be about to exit. */
async function startAgain(start: () => Promise<void>): Promise<void> {
  for (let starts = 1; ; starts++) {
    try {
      await start();
      return;
    } catch (error) {
      if (starts === MAX_STARTS) throw error;
      await sleep(START_PAUSE_MS);
    }
  }
}
