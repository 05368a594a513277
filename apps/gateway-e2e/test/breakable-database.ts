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

/** Something that is wrong with the database until it is ended. Once is enough; again does nothing. */
export interface Trouble {
  end(): Promise<void>;
}

/** A PostgreSQL that is there to be crashed. What it has committed survives, as in production. */
export interface BreakableDatabase {
  readonly port: number;
  /** For gateways and for the worker, with their rights alone. */
  serviceUrl: string;
  workerUrl: string;
  /** As the owner. */
  pool: pg.Pool;
  /** When it was away, or its connections were lost. */
  disturbances: readonly Disturbance[];
  /** Stops it as a crash does. */
  stop(): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  /** Stops it as a crash does and starts it again after `awayMs`. */
  crash(awayMs: number): Promise<void>;
  /** Notes a trouble that a test begins, by what ends it. */
  begin(end: () => Promise<unknown>): Trouble;
  /** Ends every trouble that has not ended, and starts it if it is stopped: a test that has failed leaves none. */
  heal(): Promise<void>;
  /** Ends the server processes of the gateways' ledger connections. Answers with their number. */
  endLedgerBackends(): Promise<number>;
  /**
   * Has the server processes stand still that make commits durable: all but the ledgers' own. Holds go on being placed and
   * charges being made, and a crash takes them away.
   */
  stopFlushes(): Promise<void>;
  remove(): Promise<void>;
}

const DATABASE = 'breakable';
const MAX_STARTS = 10;
const START_PAUSE_MS = 200;
/** For a server that stands still; one that is down refuses at once. */
const CONNECT_TIMEOUT_MS = 60_000;

export async function startBreakableDatabase(
  settings: Readonly<Record<string, string>> = {},
): Promise<BreakableDatabase> {
  // Without fsync a commit is in the operating system's hands when it is answered, and that survives here.
  const durable = { synchronous_commit: 'on', full_page_writes: 'on' };
  const postgres = await startTemporaryPostgres({ ...durable, ...settings });
  const { server } = postgres;
  const ownerUrl = server.url(DATABASE);
  const pool = new pg.Pool({
    connectionString: ownerUrl,
    max: 4,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  const troubles = new Set<Trouble>();
  const disturbances: Disturbance[] = [];
  const disturb = (): Disturbance => {
    const disturbance = { fromMs: Date.now(), untilMs: Infinity };
    disturbances.push(disturbance);
    return disturbance;
  };
  const database: BreakableDatabase = {
    port: server.port,
    serviceUrl: urlFor(TEST_SERVICE_LOGIN, ownerUrl),
    workerUrl: urlFor(TEST_WORKER_LOGIN, ownerUrl),
    pool,
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
      // Whoever commits and waits for it writes what others have committed, too.
      const { rows } = await pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE pid <> pg_backend_pid() AND backend_type IN ('client backend', 'walwriter', 'checkpointer')
           AND (application_name <> 'farebox-ledger' OR query LIKE '%pg_logical_emit_message%')`,
      );
      for (const { pid } of rows) stopProcess(pid);
    },
    async remove() {
      await pool.end();
      await postgres.remove();
    },
  };
  try {
    await applyMigrations(ownerUrl);
    for (const login of [TEST_SERVICE_LOGIN, TEST_WORKER_LOGIN]) await provideServiceLogin(ownerUrl, login);
    return database;
  } catch (error) {
    await database.remove();
    throw error;
  }
}

function stopProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGSTOP');
  } catch {
    // Its connection was closed meanwhile.
  }
}

/** Processes of the former server may still be about to end. */
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
