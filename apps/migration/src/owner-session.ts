import { createHash } from 'node:crypto';
// The connection that changes a database while services use it.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * What waits for a lock on a table has everybody wait who comes after it, and a gateway gives a request up after 1.5 s.
 * So nothing here waits longer than this: it lets go, and comes again.
 */
const LOCK_TIMEOUT_MS = 250;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** How long it comes again. A reader that takes longer is an operator's to end. */
const PATIENCE_MS = 15 * 60_000;
const FIRST_WORD_AFTER_MS = 3_000;
const WORD_EVERY_MS = 15_000;
const POLL_MS = 1_000;

/** lock_not_available, deadlock_detected, serialization_failure: rolled back, and worth another attempt. */
const WORTH_ANOTHER_ATTEMPT = new Set(['55P03', '40P01', '40001']);
/** Two that change the same row of the catalogue, say an autovacuum and a GRANT. It has no code of its own. */
const CONCURRENT_CHANGE = /tuple concurrently (updated|deleted)/;

const TAKE_TURN = `SELECT pg_try_advisory_lock(hashtext('farebox migration')) AS taken`;
const OLDEST = `
  SELECT pid, application_name AS name, extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds
  FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> ALL ($1::int[]) AND xact_start IS NOT NULL`;

export interface OwnerSession {
  client: pg.Client;
  /** Gets a line for each thing that is done, or waited for. */
  say: (line: string) => void;
  close(): Promise<void>;
  /** Runs `work` in a transaction whose statements wait for no lock for long; again, until they have them all. */
  inTransaction<Result>(what: string, work: () => Promise<Result>): Promise<Result>;
  /** Runs `work`, which makes its own transactions, with the same patience. */
  withoutTransaction(what: string, work: () => Promise<void>): Promise<void>;
  /** Runs a statement with CONCURRENTLY. It has nobody wait, so that it may itself wait as long as it takes. */
  concurrently(what: string, sql: string): Promise<void>;
}

/**
 * Opens the owner's session and waits until no other one is at work on this database. `say` gets a line whenever there
 * is something to wait for. No setting of the role ends what it does.
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

  /** Asked again and again: a query that waits for the lock would keep an index from being built concurrently. */
  async function takeTurn(): Promise<void> {
    for (let asked = 0; ; asked += 1) {
      const { rows } = await client.query<{ taken: boolean }>(TAKE_TURN);
      if (rows[0]?.taken) return;
      if (performance.now() > giveUpAtMs) throw new Error('Another migration of this database did not end.');
      if (asked === 0) say('Another migration of this database is under way: waiting for its end.');
      await sleep(POLL_MS);
    }
  }

  /** Repeats what did not get its locks, until it has them or patience ends. */
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

  /** Whoever has been at it longest is most likely in the way. */
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

  /** Says now and then what a long statement waits for. */
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

/** PostgreSQL's, if it is an error of it. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What Node says of a server that does not answer may be a list without a message of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** By which a file is known again. */
export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

function connection(databaseUrl: string): pg.Client {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'farebox-migration',
    keepAlive: true,
  });
  client.on('error', () => undefined); // the query under way tells it
  return client;
}
