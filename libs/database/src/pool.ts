import { Pool, type PoolClient } from 'pg';
import { valueTypes } from './value-types';

export interface PoolOptions {
  /** `postgres://…`. */
  url: string;
  /** Most connections open at once. */
  max: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /** The server cancels a statement that runs longer. 0: no limit. */
  statementTimeoutMs?: number;
  /** The server ends a statement that waits longer for a lock, with SQLSTATE 55P03. */
  lockTimeoutMs?: number;
  /** Longest wait for a connection: for a new one, or for a free one if all are in use. */
  connectTimeoutMs?: number;
  /** All queries are short: plans are neither compiled nor run in parallel, which would take longer than the query. */
  shortQueries?: boolean;
  /** The server refuses whatever would write (SQLSTATE 25006). */
  readOnly?: boolean;
  /**
   * The server ends a statement within a second after its client is gone. Otherwise it goes on to its end, with its locks:
   * for statements that may be long.
   */
  endsWithClient?: boolean;
  /** Told of a connection that died while nobody used it. The pool opens another one by itself. */
  onConnectionLost?: (error: Error) => void;
}

const DEFAULT_STATEMENT_TIMEOUT_MS = 5_000;
const DEFAULT_LOCK_TIMEOUT_MS = 2_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 2_000;
/** A statement that has no answer this long after the server should have cancelled it has lost its server. */
const ANSWER_GRACE_MS = 1_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_DELAY_MS = 10_000;

/**
 * A pool of connections on which every wait has a limit. Nothing connects before the first query.
 * Values come back as `valueTypes` says; the time zone of every session is UTC.
 */
export function createPool(options: PoolOptions): Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS;
  const pool = new Pool({
    ...sessionOf(options),
    max: options.max,
    application_name: options.applicationName,
    statement_timeout: statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS,
    query_timeout: statementTimeoutMs === 0 ? 0 : statementTimeoutMs + ANSWER_GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    connectionTimeoutMillis: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    types: valueTypes,
  });

  // An `error` event that nobody listens to ends the process. The pool emits one for a connection that dies idle;
  // one that dies between two statements of a transaction emits its own, and its next statement fails.
  pool.on('error', (error) => options.onConnectionLost?.(error));
  pool.on('connect', (client: PoolClient) => {
    client.on('error', () => undefined);
  });
  return pool;
}

const OF_SHORT_QUERIES = '-c jit=off -c max_parallel_workers_per_gather=0';
const OF_LONG_QUERIES = '-c client_connection_check_interval=1000';
const OF_READERS = '-c default_transaction_read_only=on';

/**
 * Prisma writes and reads times as if every session were in UTC, and would be wrong by the offset of a server, a
 * database or a role that has another default. Options that the URL itself brings are kept.
 */
function sessionOf({
  url: text,
  shortQueries = false,
  readOnly = false,
  endsWithClient = false,
  statementTimeoutMs,
}: PoolOptions): {
  connectionString: string;
  options: string;
} {
  const url = new URL(text);
  const own = url.searchParams.get('options') ?? '';
  url.searchParams.delete('options');
  const options = [
    own,
    '-c TimeZone=UTC',
    shortQueries ? OF_SHORT_QUERIES : '',
    readOnly ? OF_READERS : '',
    endsWithClient ? OF_LONG_QUERIES : '',
    // The driver passes no zero on, and the login may have a limit of its own.
    statementTimeoutMs === 0 ? '-c statement_timeout=0' : '',
  ].filter((part) => part !== '');
  return { connectionString: url.href, options: options.join(' ') };
}
