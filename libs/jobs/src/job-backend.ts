import { createPostgresBackend, Queue, withBackend, Worker, type Job, type WorkerOptions } from 'bullmq';

/** Where the queue is kept: Redis in production, PostgreSQL where there is none. */
export type JobBackend = { kind: 'redis'; url: string } | { kind: 'postgres'; url: string };

export function chooseJobBackend(redisUrl: string | undefined, databaseUrl: string): JobBackend {
  return redisUrl === undefined ? { kind: 'postgres', url: databaseUrl } : { kind: 'redis', url: redisUrl };
}

/** BullMQ's own tables stand apart from ours. `npm run migrate` makes them: a service may change no table. */
export const POSTGRES_SCHEMA = 'bullmq';
const Postgres = withBackend(createPostgresBackend);

/** The part of BullMQ's queue that is used, whatever it is kept in. */
export type JobQueue = Pick<
  Queue,
  'add' | 'upsertJobScheduler' | 'getJobSchedulers' | 'removeJobScheduler' | 'close'
> & {
  on(event: 'error', listener: (error: Error) => void): unknown;
};

export type JobWorker = Pick<Worker, 'close' | 'waitUntilReady'> & {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: Job | undefined, error: Error) => void): unknown;
};

export function openQueue(backend: JobBackend, name: string): JobQueue {
  return backend.kind === 'redis'
    ? new Queue(name, { connection: { url: backend.url } })
    : new Postgres.Queue(name, { connection: postgresConnection(backend.url) });
}

export function openWorker(
  backend: JobBackend,
  name: string,
  process: (job: Job) => Promise<void>,
  options: Pick<WorkerOptions, 'concurrency'>,
): JobWorker {
  return backend.kind === 'redis'
    ? // BullMQ requires that the connection of a worker never gives up.
      new Worker(name, process, { ...options, connection: { url: backend.url, maxRetriesPerRequest: null } })
    : new Postgres.Worker(name, process, { ...options, connection: postgresConnection(backend.url) });
}

function postgresConnection(url: string) {
  return { connectionString: url, schema: POSTGRES_SCHEMA };
}
