import { singleFlight, within } from '@farebox/flow';
import { PrismaPg } from '@prisma/adapter-pg';
import pg, { type CustomTypesConfig, Pool, type PoolClient, types } from 'pg';
import { PrismaClient } from './generated/client';

interface PoolOptions {
  /** `postgres://…`. */
  url: string;
  /** Maximum number of open connections. */
  max: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /** The server cancels a statement that runs longer. 0: no limit. */
  statementTimeoutMs?: number;
  /** The server ends a statement that waits longer for a lock, with SQLSTATE 55P03. */
  lockTimeoutMs?: number;
  /** Maximum wait for a connection: a new one, or a free one if all are in use. */
  connectTimeoutMs?: number;
  /**
   * All queries are short: plans are neither compiled nor run in parallel, either of which would take longer
   * than the query.
   */
  shortQueries?: boolean;
  /** The server refuses writes (SQLSTATE 25006). */
  readOnly?: boolean;
  /**
   * The server ends a statement within a second after its client is gone. Otherwise it runs to its end,
   * keeping its locks. Set it for statements that may be long.
   */
  endsWithClient?: boolean;
  /** Called when an idle connection is lost. The pool replaces it by itself. */
  onConnectionLost?: (error: Error) => void;
}

const DEFAULT_STATEMENT_TIMEOUT_MS = 5_000;
const DEFAULT_LOCK_TIMEOUT_MS = 2_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 2_000;
/** If a statement has no response this long after the server should have cancelled it, the server is lost. */
const ANSWER_GRACE_MS = 1_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_DELAY_MS = 10_000;

/**
 * A pool of connections in which every wait has a limit. Connects on the first query. Values are parsed
 * according to `valueTypes`; the time zone of every session is UTC.
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

  // An unhandled `error` event ends the process. The pool emits one for a connection lost while idle; a
  // connection lost between two statements of a transaction emits its own, and the next statement fails.
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
 * Prisma writes and reads times as if every session were in UTC, and would be wrong by the offset of a
 * server, a database or a role with another default. Options of the URL itself are kept.
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
    // The driver does not pass zero on, and the login may have a limit of its own.
    statementTimeoutMs === 0 ? '-c statement_timeout=0' : '',
  ].filter((part) => part !== '');
  return { connectionString: url.href, options: options.join(' ') };
}

type Parser = (text: string) => unknown;

/** Object ids of PostgreSQL's types, as in `pg_type`. */
const INT8 = 20;
const DATE = 1082;
const TEXT_ARRAY = 1009;
const INT8_ARRAY = 1016;
const DATE_ARRAY = 1182;

/** pg's own parsers, whose TypeScript types cover fewer object ids. */
const parserOf = types.getTypeParser as (oid: number, format?: string) => Parser;

const parseTextArray = parserOf(TEXT_ARRAY) as (text: string) => (string | null)[];

const parsers: Readonly<Record<number, Parser>> = {
  // A `number` loses nano-dollars above 9 million dollars.
  [INT8]: BigInt,
  [INT8_ARRAY]: (text) => parseTextArray(text).map((item) => (item === null ? null : BigInt(item))),
  // A calendar day has no time zone; pg's own parser would make it midnight in this machine's zone.
  [DATE]: (text) => text,
  [DATE_ARRAY]: parseTextArray,
};

/**
 * How a pool parses values: `bigint` as `bigint`, `date` as its text (`"2026-11-21"`), `timestamptz` as
 * `Date`, the rest as pg does. Set on the pool, so that nothing else in the process changes.
 */
const valueTypes: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string): Parser =>
    (format === 'binary' ? undefined : parsers[oid]) ?? parserOf(oid, format),
};

/** Readiness needs no credential, so frequent requests must not load the database. */
const FRESH_MS = 500;
const LONGEST_WAIT_MS = 2_000;

/**
 * Whether the database is writable now: it responds in time and is not a replica. Concurrent callers share
 * one result, and a good one is cached for half a second.
 */
export function createDatabaseProbe(
  pool: Pool,
  now: () => number = () => performance.now(),
): () => Promise<boolean> {
  let goodUntilMs = -Infinity;
  const askAfterExpiry = singleFlight(async () => {
    const answer = await ask(pool);
    if (answer) goodUntilMs = now() + FRESH_MS;
    return answer;
  });
  return () => (now() < goodUntilMs ? Promise.resolve(true) : askAfterExpiry());
}

async function ask(pool: Pool): Promise<boolean> {
  const asked = pool.query<{ writable: boolean }>('SELECT NOT pg_is_in_recovery() AS writable');
  return within(LONGEST_WAIT_MS, asked).then(
    ({ rows }) => rows[0]?.writable === true,
    () => false,
  );
}

/**
 * A Prisma client that shares the connections and the time limits of a pool made by `createPool`.
 * `$disconnect()` leaves the pool open; end the pool itself.
 */
export function createPrismaClient(pool: pg.Pool): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: 'minimal' });
}

/**
 * A Prisma client within a transaction that the caller commits. It cannot begin one of its own, whose COMMIT
 * would end the caller's. Operations that Prisma would wrap in a transaction (`$transaction`, nested writes,
 * several rows) throw.
 */
export function prismaWithin(client: pg.PoolClient): PrismaClient {
  return createPrismaClient(new OneConnection(client));
}

/** The interface of a pool that Prisma expects. It opens no connection. */
class OneConnection extends pg.Pool {
  constructor(client: pg.PoolClient) {
    super({ max: 1 });
    this.query = client.query.bind(client);
    this.connect = () => {
      throw new Error('a transaction within a transaction would commit it');
    };
  }
}
