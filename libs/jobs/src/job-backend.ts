import {
  assertSchemaCompatibility,
  createPostgresBackend,
  LATEST_SCHEMA_VERSION,
  Queue,
  SchemaMigrationRequiredError,
  withBackend,
  Worker,
  type Job,
  type PgPoolConfig,
  type PostgresConnectionOptions,
  type WorkerOptions,
} from 'bullmq';
import { Client, Pool } from 'pg';
import type { QueueName } from './job-table';
import { openRedis, redisConnection } from './redis-client';

/** Where the queues are kept: Redis in production, otherwise PostgreSQL. */
export type JobBackend =
  | { kind: 'redis'; url: string }
  /** `pool`: connections that queues and workers share. Without it, each has its own. */
  | { kind: 'postgres'; url: string; pool?: Pool };

export function chooseJobBackend(redisUrl: string | undefined, databaseUrl: string): JobBackend {
  return redisUrl === undefined ? { kind: 'postgres', url: databaseUrl } : { kind: 'redis', url: redisUrl };
}

/**
 * BullMQ's own tables have their own schema. `npm run migrate` creates them, since a service may not alter
 * tables.
 */
export const POSTGRES_SCHEMA = 'bullmq';
const Postgres = withBackend(createPostgresBackend);

/** Calls of queues and workers are short. */
const CALL_CONNECTIONS = 3;

/**
 * The same backend, with connections that queues and workers share; the caller ends its pool. Each worker takes one
 * for as long as it runs. In Redis, each worker needs its own.
 */
export function shareConnections(backend: JobBackend, workers: number): JobBackend {
  if (backend.kind === 'redis') return backend;
  const pool = new Pool({
    connectionString: backend.url,
    options: `-c search_path=${POSTGRES_SCHEMA}`,
    max: workers + CALL_CONNECTIONS,
    keepAlive: true,
  });
  return { ...backend, pool };
}

/** BullMQ's own queue; its types distinguish the two backends. */
export type BullQueue = Queue | InstanceType<typeof Postgres.Queue>;

/** The part of BullMQ's queue in use, independent of the backend. */
export type JobQueue = Pick<
  Queue,
  | 'add'
  | 'getJob'
  | 'getJobs'
  | 'getJobCounts'
  | 'getJobSchedulers'
  | 'upsertJobScheduler'
  | 'removeJobScheduler'
  | 'waitUntilReady'
  | 'close'
  | 'disconnect'
> & {
  on(event: 'error', listener: (error: Error) => void): unknown;
};

export type JobWorker = Pick<Worker, 'close' | 'isRunning' | 'pause' | 'waitUntilReady'> & {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'completed', listener: (job: Job) => void): unknown;
  on(event: 'failed', listener: (job: Job | undefined, error: Error) => void): unknown;
};

/**
 * A queue whose calls wait until the backend is reachable; once `givenUp` is aborted, a lost connection is
 * not reopened.
 */
export function openQueue(backend: JobBackend, name: QueueName, givenUp?: AbortSignal): JobQueue {
  return backend.kind === 'redis'
    ? new Queue(name, { connection: redisConnection(backend.url, { retryStrategy: retryUntil(givenUp) }) })
    : new Postgres.Queue(name, { connection: postgresConnection(backend, { max: 2 }) });
}

/** Share of the response timeout. */
const CONNECT_SHARE = 2 / 3;
const LONGEST_RECONNECT_PAUSE_MS = 1_000;
const DISCONNECT_TIMEOUT_MS = 200;

/**
 * A queue for callers that cannot wait: a call fails at once if the connection is lost, and soon if there is
 * no response. Calls before the first connection have no time limit of their own. `onError` receives
 * connection errors; the connection is reopened automatically.
 */
export function openImpatientQueue(
  backend: JobBackend,
  name: QueueName,
  { answerTimeoutMs, onError }: { answerTimeoutMs: number; onError: (error: Error) => void },
): BullQueue {
  const connectTimeoutMs = answerTimeoutMs * CONNECT_SHARE;
  if (backend.kind === 'postgres') {
    const bounds = { connectionTimeoutMillis: connectTimeoutMs, query_timeout: answerTimeoutMs };
    const connection = postgresConnection({ url: backend.url }, { ...bounds, max: 2 });
    const queue = new Postgres.Queue(name, { connection });
    queue.on('error', onError);
    return queue;
  }
  const redis = openRedis(backend.url, {
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    socketTimeout: answerTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: retryUntil(undefined),
  });
  redis.on('error', onError);
  // With the version check, a connection lost during creation would leave the queue unusable.
  const queue = new Queue(name, { connection: redis, skipVersionCheck: true });
  queue.on('error', () => undefined); // the same errors as those of its connection
  const close = queue.close.bind(queue);
  return Object.assign(queue, {
    async close() {
      await close();
      redis.disconnect();
    },
  });
}

export function openWorker(
  backend: JobBackend,
  name: QueueName,
  process: (job: Job) => Promise<void>,
  options: Pick<
    WorkerOptions,
    'concurrency' | 'lockDuration' | 'stalledInterval' | 'maxStalledCount' | 'settings'
  >,
  givenUp: AbortSignal,
): JobWorker {
  return backend.kind === 'redis'
    ? new Worker(name, process, {
        ...options,
        // BullMQ requires that calls of a worker never give up by themselves.
        connection: redisConnection(backend.url, {
          maxRetriesPerRequest: null,
          retryStrategy: retryUntil(givenUp),
        }),
      })
    : new Postgres.Worker(name, process, {
        ...options,
        connection: postgresConnection(backend),
      });
}

function retryUntil(givenUp: AbortSignal | undefined): (attempt: number) => number | null {
  return (attempt) => (givenUp?.aborted === true ? null : Math.min(LONGEST_RECONNECT_PAUSE_MS, 50 * attempt));
}

function postgresConnection(
  { url, pool }: { url: string; pool?: Pool },
  ofOwnPool: PgPoolConfig = {},
): PostgresConnectionOptions {
  // BullMQ takes a pool of pg, but its types do not.
  if (pool) return pool as unknown as PostgresConnectionOptions;
  return { ...ofOwnPool, connectionString: url, schema: POSTGRES_SCHEMA };
}

/** The tables of the queue do not match this code. The message is one sentence for an operator. */
export class QueueNotMigratedError extends Error {
  constructor() {
    super(
      'The tables of the job queue are missing or older than this code: prepare them with "npm run migrate".',
    );
    this.name = 'QueueNotMigratedError';
  }
}

const CONNECT_BOUND_MS = 5_000;

/**
 * Throws `QueueNotMigratedError` if the queue is kept in PostgreSQL and its tables are not those of this
 * BullMQ. Only the owner of the database may create or alter them.
 */
export async function assertQueueMigrated(backend: JobBackend): Promise<void> {
  if (backend.kind === 'redis') return;
  const client = new Client({ connectionString: backend.url, connectionTimeoutMillis: CONNECT_BOUND_MS });
  client.on('error', () => undefined); // reported by the running query
  await client.connect();
  try {
    const version = await assertSchemaCompatibility(client, POSTGRES_SCHEMA);
    if (version < LATEST_SCHEMA_VERSION) throw new QueueNotMigratedError();
  } catch (error) {
    throw error instanceof SchemaMigrationRequiredError ? new QueueNotMigratedError() : error;
  } finally {
    await client.end();
  }
}
