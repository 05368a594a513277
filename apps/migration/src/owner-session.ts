import { createHash } from 'node:crypto';
// The connection that changes a database while services use it.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * A statement that waits for a table lock blocks all later ones, and a gateway gives a request up after 1.5
 * s. So nothing here waits longer than this: it gives up and retries.
 */
const LOCK_TIMEOUT_MS = 250;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** How long it retries. A reader that takes longer is an operator's to end. */
const PATIENCE_MS = 15 * 60_000;
const FIRST_WORD_AFTER_MS = 3_000;
const WORD_EVERY_MS = 15_000;
const POLL_MS = 1_000;

/** lock_not_available, deadlock_detected, serialization_failure: rolled back, and worth a retry. */
const WORTH_ANOTHER_ATTEMPT = new Set(['55P03', '40P01', '40001']);
/**
 * Concurrent changes of the same row of the system catalogue, for example by an autovacuum and a GRANT. It
 * has no code of its own.
 */
const CONCURRENT_CHANGE = /tuple concurrently (updated|deleted)/;

const TAKE_TURN = `SELECT pg_try_advisory_lock(hashtext('farebox migration')) AS taken`;
const OLDEST = `
  SELECT pid, application_name AS name, extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds
  FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> ALL ($1::int[]) AND xact_start IS NOT NULL`;

export interface OwnerSession {
  client: pg.Client;
  /** Receives a line for each step, and for each wait. */
  say: (line: string) => void;
  close(): Promise<void>;
  /**
   * Runs `work` in a transaction whose statements wait only briefly for locks, and retries it until it gets
   * them all.
   */
  inTransaction<Result>(what: string, work: () => Promise<Result>): Promise<Result>;
  /** Runs `work`, which begins its own transactions, with the same retries. */
  withoutTransaction(what: string, work: () => Promise<void>): Promise<void>;
  /** Runs a statement with CONCURRENTLY. It blocks nobody, so it may wait as long as it takes. */
  concurrently(what: string, sql: string): Promise<void>;
}

/**
 * Opens the owner's session and waits until no other one is working on this database. `say` receives a line
 * whenever it has to wait. No setting of the role can end its statements.
 */
export async function openOwnerSession(
  databaseUrl: string,
  say: (line: string) => void,
): Promise<OwnerSession> {
  const [client, watcher] = [connection(databaseUrl), connection(databaseUrl)];
  const giveUpAtMs = performance.now() + PATIENCE_MS;
  const close = async (): Promise<void> => {
    await Promise.all([client, watcher].map((open) => open.end().catch(() => undefined)));
  };
  try {
    await Promise.all([client.connect(), watcher.connect()]);
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    await takeTurn();
  } catch (error) {
    await close();
    throw error;
  }
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const workerPid = rows[0]?.pid;

  /** Polled: a query that waits for the lock would keep an index from being built concurrently. */
  async function takeTurn(): Promise<void> {
    for (let asked = 0; ; asked += 1) {
      const { rows } = await client.query<{ taken: boolean }>(TAKE_TURN);
      if (rows[0]?.taken) return;
      if (performance.now() > giveUpAtMs) throw new Error('Another migration of this database did not end.');
      if (asked === 0) say('Another migration of this database is under way: waiting for its end.');
      await sleep(POLL_MS);
    }
  }

  /** Retries an attempt that did not get its locks, until it does or the time is over. */
  async function repeat<Result>(what: string, attempt: () => Promise<Result>): Promise<Result> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await attempt();
      } catch (error) {
        if (!isWorthAnotherAttempt(error)) throw error;
        if (performance.now() + pauseMs > giveUpAtMs) {
          throw new Error(
            `${what}: ${messageOf(error)}. Nothing of it is in. End what holds the lock${await oldest()}, or wait for it; then migrate again.`,
            { cause: error },
          );
        }
        say(`${what} did not get its locks and was rolled back${await oldest()}. It tries again.`);
        await sleep(pauseMs);
      }
    }
  }

  /** The oldest transaction is the most likely blocker. */
  async function oldest(blockedPid?: number): Promise<string> {
    const { rows } = await watcher.query<{ pid: number; name: string; seconds: number }>(
      blockedPid === undefined
        ? `${OLDEST} ORDER BY xact_start LIMIT 1`
        : `${OLDEST} AND pid = ANY (pg_blocking_pids($2)) ORDER BY xact_start LIMIT 1`,
      blockedPid === undefined ? [[workerPid]] : [[workerPid], blockedPid],
    );
    const [found] = rows;
    if (!found) return '';
    const where = blockedPid === undefined ? '' : ' in its way';
    return ` (the oldest transaction${where}: process ${String(found.pid)}, ${found.name || 'no name'}, ${String(found.seconds)} s)`;
  }

  /** Reports from time to time what a long statement waits for. */
  async function watched<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const startedAtMs = performance.now();
    let hasEnded = false;
    let timer = setTimeout(() => void tell(), FIRST_WORD_AFTER_MS);
    async function tell(): Promise<void> {
      const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
      const blocker = await oldest(workerPid).catch(() => '');
      if (hasEnded) return;
      say(`${what} has run for ${String(seconds)} s${blocker}.`);
      timer = setTimeout(() => void tell(), WORD_EVERY_MS);
    }
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      hasEnded = true;
    }
  }

  return {
    client,
    say,
    close,
    inTransaction: (what, work) =>
      repeat(what, async () => {
        await client.query(`SET lock_timeout = ${String(LOCK_TIMEOUT_MS)}`);
        try {
          await client.query('BEGIN');
          const result = await watched(what, work);
          await client.query('COMMIT');
          return result;
        } catch (error) {
          await client.query('ROLLBACK').catch(() => undefined);
          throw error;
        }
      }),
    withoutTransaction: (what, work) =>
      repeat(what, async () => {
        await client.query(`SET lock_timeout = ${String(LOCK_TIMEOUT_MS)}`);
        await watched(what, work);
      }),
    concurrently: (what, sql) =>
      repeat(what, async () => {
        await client.query('SET lock_timeout = 0');
        await watched(what, () => client.query(sql));
      }),
  };
}

function isWorthAnotherAttempt(error: unknown): boolean {
  return WORTH_ANOTHER_ATTEMPT.has(codeOf(error) ?? '') || CONCURRENT_CHANGE.test(messageOf(error));
}

/** PostgreSQL's code, if it is a PostgreSQL error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Node's error for a server that does not respond may be a list without a message of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** Identifies a file's content. */
export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

function connection(databaseUrl: string): pg.Client {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'farebox-migration',
    keepAlive: true,
  });
  client.on('error', () => undefined); // reported by the running query
  return client;
}
