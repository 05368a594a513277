import { setTimeout as sleep } from 'node:timers/promises';
import { uuidV7 } from '@farebox/auth';
import {
  applyMigrations,
  provideServiceLogin,
  startTemporaryPostgres,
  TEST_SERVICE_LOGIN,
  urlFor,
} from '@farebox/local-services';
import pg from 'pg';
import { openLedgerConnection, type LedgerConnection } from '../src/batching/ledger-connection';
import { openGatewayLedger, type GatewayLedger } from '../src/gateway-ledger';

/** A PostgreSQL for this test that can be crashed, or kept from making commits durable. */
export interface CrashingServer {
  /** As the owner. */
  pool: pg.Pool;
  openLedger(): Promise<GatewayLedger>;
  /** A connection of a ledger. */
  openConnection(): Promise<LedgerConnection>;
  /** Makes every durable commit wait for a standby that does not exist; other commits continue. */
  stopFlushes(): Promise<void>;
  goOn(): Promise<void>;
  /** Number of ledger server processes that wait for a durable commit. */
  waitingFlushes(): Promise<number>;
  /** Suspends the ledger's flusher. Unflushed commits then exist only in the server's memory. */
  stopFlusher(): Promise<void>;
  /** Loses everything that was only in memory, and starts the server again. */
  crash(): Promise<void>;
  remove(): Promise<void>;
}

const DATABASE = 'crashing';
const MAX_STARTS = 20;

export async function startCrashingServer(): Promise<CrashingServer> {
  // Without fsync a flushed log is in the operating system's buffers, which survive here. Nothing else writes
  // it within a test.
  const settings = {
    synchronous_commit: 'on',
    full_page_writes: 'on',
    wal_writer_delay: '10s',
    autovacuum: 'off',
  };
  const postgres = await startTemporaryPostgres(settings);
  const { server } = postgres;
  const url = server.url(DATABASE);
  const serviceUrl = urlFor(TEST_SERVICE_LOGIN, url);
  const open = (connectionString: string): pg.Pool => {
    const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 5_000 });
    pool.on('error', () => undefined);
    return pool;
  };
  const [pool, servicePool] = [open(url), open(serviceUrl)];

  async function waitingFlushes(name: string): Promise<number> {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = $1`,
      [name],
    );
    return rows[0]?.count ?? 0;
  }

  async function setStandbys(names: string): Promise<void> {
    await pool.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await pool.query('SELECT pg_reload_conf()');
  }

  try {
    await applyMigrations(url);
    await provideServiceLogin(url, TEST_SERVICE_LOGIN);
  } catch (error) {
    await Promise.all([pool.end(), servicePool.end()]);
    await postgres.remove();
    throw error;
  }
  return {
    pool,
    openLedger: () =>
      openGatewayLedger({
        databaseUrl: serviceUrl,
        pool: servicePool,
        admissionTimeoutMs: 60_000,
        settlementTimeoutMs: 60_000,
        onLeaseError: () => undefined,
      }),
    openConnection: () =>
      openLedgerConnection({
        databaseUrl: serviceUrl,
        gatewayInstanceId: uuidV7(),
        keptBytesPerAccount: 1,
        callTimeoutMs: 60_000,
        lockTimeoutMs: 60_000,
      }),
    async stopFlushes() {
      await setStandbys('nobody');
      // One process must have read the setting; then all of them see it.
      const probe = new pg.Client({ connectionString: url, application_name: 'probe' });
      // The server below ends it, possibly before its query ends.
      probe.on('error', () => undefined);
      await probe.connect();
      const isHeld = async (): Promise<boolean> => (await waitingFlushes('probe')) === 1;
      const probing = (async () => {
        for (let i = 0; i < 3_000; i++) {
          await probe.query(`SELECT pg_logical_emit_message(true, 'probe', '')`);
          await sleep(10);
        }
      })().catch(() => undefined);
      for (let tries = 0; !(await isHeld()); tries++) {
        if (tries === 6_000) throw new Error('no commit has waited for a standby within a minute');
        await sleep(10);
      }
      void probing;
      await pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'probe'`,
      );
      await probe.end().catch(() => undefined);
    },
    goOn: () => setStandbys(''),
    waitingFlushes: () => waitingFlushes('farebox-ledger'),
    async stopFlusher() {
      const { rows } = await pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE application_name = 'farebox-ledger' AND query LIKE '%pg_logical_emit_message%'`,
      );
      if (rows.length !== 1) throw new Error(`found ${String(rows.length)} flushers`);
      process.kill(rows[0]?.pid ?? 0, 'SIGSTOP');
    },
    async crash() {
      await server.stop('immediate');
      for (let starts = 1; ; starts++) {
        try {
          await server.restart();
          return;
        } catch (error) {
          if (starts === MAX_STARTS) throw error;
          await sleep(200);
        }
      }
    },
    async remove() {
      await Promise.all([pool.end(), servicePool.end()]);
      await postgres.remove();
    },
  };
}
