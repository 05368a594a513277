import {
  assertSchemaCompatibility,
  createPostgresBackend,
  LATEST_SCHEMA_VERSION,
  Queue,
  SchemaMigrationRequiredError,
  withBackend,
  Worker,
  type Job,
  type WorkerOptions,
} from 'bullmq';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { QueueName } from './job-table';

/** Where the queues are kept: Redis in production, PostgreSQL if there is none. */
export type JobBackend = { kind: 'redis'; url: string } | { kind: 'postgres'; url: string };

export function chooseJobBackend(redisUrl: string | undefined, databaseUrl: string): JobBackend {
  return redisUrl === undefined ? { kind: 'postgres', url: databaseUrl } : { kind: 'redis', url: redisUrl };
}

/** BullMQ's own tables stand apart from ours. `npm run migrate` makes them: a service may change no table. */
export const POSTGRES_SCHEMA = 'bullmq';
const Postgres = withBackend(createPostgresBackend);

/** A queue as BullMQ has it: its types tell the two backends apart. */
export type BullQueue = Queue | InstanceType<typeof Postgres.Queue>;

/** The part of BullMQ's queue that is used, whatever it is kept in. */
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

/** A queue whose calls wait until the backend is there; after `givenUp` was aborted, a lost connection is not opened again. */
export function openQueue(backend: JobBackend, name: QueueName, givenUp?: AbortSignal): JobQueue {
  return backend.kind === 'redis'
    ? new Queue(name, { connection: { url: backend.url, retryStrategy: retryUntil(givenUp) } })
    : new Postgres.Queue(name, { connection: { ...postgresConnection(backend.url), max: 2 } });
}

/** Of the time for an answer. */
const CONNECT_SHARE = 2 / 3;
const LONGEST_RECONNECT_PAUSE_MS = 1_000;
const DISCONNECT_TIMEOUT_MS = 200;

/**
 * A queue for somebody who cannot wait: a call fails at once if the connection is lost, and one without an answer
 * soon. Until the first connection stands its calls have no limit of their own. `onError` is told of the connection's
 * troubles; it is opened again by itself.
 */
export function openImpatientQueue(
  backend: JobBackend,
  name: QueueName,
  { answerTimeoutMs, onError }: { answerTimeoutMs: number; onError: (error: Error) => void },
): BullQueue {
  const connectTimeoutMs = answerTimeoutMs * CONNECT_SHARE;
  if (backend.kind === 'postgres') {
    const bounds = { connectionTimeoutMillis: connectTimeoutMs, query_timeout: answerTimeoutMs };
    const connection = { ...postgresConnection(backend.url), ...bounds, max: 2 };
    const queue = new Postgres.Queue(name, { connection });
    queue.on('error', onError);
    return queue;
  }
  const redis = new Redis(backend.url, {
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    socketTimeout: answerTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: retryUntil(undefined),
  });
  redis.on('error', onError);
  // Without a check of the version the queue cannot be spoilt by a connection that is lost while it is made.
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
        // BullMQ requires that no call of a worker gives up by itself.
        connection: {
          url: backend.url,
          maxRetriesPerRequest: null,
          retryStrategy: retryUntil(givenUp),
        },
      })
    : new Postgres.Worker(name, process, { ...options, connection: postgresConnection(backend.url) });
}

function retryUntil(givenUp: AbortSignal | undefined): (attempt: number) => number | null {
  return (attempt) => (givenUp?.aborted === true ? null : Math.min(LONGEST_RECONNECT_PAUSE_MS, 50 * attempt));
}

function postgresConnection(url: string) {
  return { connectionString: url, schema: POSTGRES_SCHEMA };
}

/** The tables of the queue are not as this code needs them. The message is one sentence for an operator. */
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
 * Throws `QueueNotMigratedError` if the queue is kept in PostgreSQL and its tables are not those of this BullMQ. A
 * service may not make or change them: that is for the owner of the database.
 */
export async function assertQueueMigrated(backend: JobBackend): Promise<void> {
  if (backend.kind === 'redis') return;
  const client = new Client({ connectionString: backend.url, connectionTimeoutMillis: CONNECT_BOUND_MS });
  client.on('error', () => undefined); // the query under way tells it
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
