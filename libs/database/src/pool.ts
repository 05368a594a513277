import { singleFlight, within } from '@farebox/flow';
import { PrismaPg } from '@prisma/adapter-pg';
import pg, { type CustomTypesConfig, Pool, type PoolClient, types } from 'pg';
import { PrismaClient } from './generated/client';

interface PoolOptions {
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

type Parser = (text: string) => unknown;

/** Object ids of PostgreSQL's types, as `pg_type` has them. */
const INT8 = 20;
const DATE = 1082;
const TEXT_ARRAY = 1009;
const INT8_ARRAY = 1016;
const DATE_ARRAY = 1182;

/** pg's own parsers. Its types know fewer object ids than it does. */
const parserOf = types.getTypeParser as (oid: number, format?: string) => Parser;

const parseTextArray = parserOf(TEXT_ARRAY) as (text: string) => (string | null)[];

const parsers: Readonly<Record<number, Parser>> = {
  // A `number` loses nano-dollars above 9 million dollars.
  [INT8]: BigInt,
  [INT8_ARRAY]: (text) => parseTextArray(text).map((item) => (item === null ? null : BigInt(item))),
  // A calendar day has no time zone: pg's own parser makes it midnight of this machine's zone.
  [DATE]: (text) => text,
  [DATE_ARRAY]: parseTextArray,
};

/**
 * How values come back from a pool: `bigint` as `bigint`, `date` as its text (`"2026-11-21"`), `timestamptz` as
 * `Date`, the rest as pg has it. A property of the pool, so that nothing else in the process changes.
 */
const valueTypes: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string): Parser =>
    (format === 'binary' ? undefined : parsers[oid]) ?? parserOf(oid, format),
};

/** Readiness is asked for without a credential: whoever asks often must not load the database. */
const FRESH_MS = 500;
const LONGEST_WAIT_MS = 2_000;

/**
 * Tells whether the database can be written to now: that it answers in time, and is not a replica. All who ask at once
 * share one answer, and a good one serves for half a second.
 */
export function createDatabaseProbe(
  pool: Pool,
  now: () => number = () => performance.now(),
): () => Promise<boolean> {
  let goodUntilMs = -Infinity;
  const askAnew = singleFlight(async () => {
    const answer = await ask(pool);
    if (answer) goodUntilMs = now() + FRESH_MS;
    return answer;
  });
  return () => (now() < goodUntilMs ? Promise.resolve(true) : askAnew());
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
 * A Prisma client within the transaction of a connection, which somebody else commits. It cannot begin one of its own:
 * its COMMIT would end theirs. What Prisma would wrap in one (`$transaction`, nested writes, several rows) throws.
 */
export function prismaWithin(client: pg.PoolClient): PrismaClient {
  return createPrismaClient(new OneConnection(client));
}

/** What Prisma takes for a pool. It opens no connection. */
class OneConnection extends pg.Pool {
  constructor(client: pg.PoolClient) {
    super({ max: 1 });
    this.query = client.query.bind(client);
    this.connect = () => {
      throw new Error('a transaction within a transaction would commit it');
    };
  }
}
