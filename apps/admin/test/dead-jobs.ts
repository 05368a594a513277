import { uuidV7 } from '@farebox/auth';
import { chooseJobBackend, type JobBackend } from '@farebox/jobs';
import { createPostgresBackend, Queue, withBackend, Worker } from 'bullmq';
import type { AdminHarness } from './admin-harness';

/** The schema of libs/jobs. */
const SCHEMA = 'bullmq';
const QUEUE = 'farebox-charges';
const Postgres = withBackend(createPostgresBackend);

/** A job that has used its only attempt. Returns its id. */
export async function givenDeadJob(
  { environment }: Pick<AdminHarness, 'environment'>,
  failure = 'no database',
): Promise<string> {
  const id = uuidV7();
  const backend = chooseJobBackend(environment['REDIS_URL'], String(environment['DATABASE_URL']));
  const queue = openQueue(backend);
  await queue.add('reconcile-charge', { holdId: id }, { jobId: id, attempts: 1 });
  await queue.close();
  const worker = openFailingWorker(backend, failure);
  await new Promise<void>((resolve) =>
    worker.on('failed', (job) => {
      if (job?.id === id) resolve();
    }),
  );
  await worker.close();
  return id;
}

function openQueue({ kind, url }: JobBackend): Pick<Queue, 'add' | 'close'> {
  return kind === 'redis'
    ? new Queue(QUEUE, { connection: { url } })
    : new Postgres.Queue(QUEUE, { connection: { connectionString: url, schema: SCHEMA } });
}

type FailingWorker = Pick<Worker, 'close'> & {
  on(event: 'failed', listener: (job: { id?: string | undefined } | undefined) => void): unknown;
};

function openFailingWorker({ kind, url }: JobBackend, failure: string): FailingWorker {
  const fail = (): Promise<never> => Promise.reject(new Error(failure));
  return kind === 'redis'
    ? new Worker(QUEUE, fail, { connection: { url, maxRetriesPerRequest: null } })
    : new Postgres.Worker(QUEUE, fail, { connection: { connectionString: url, schema: SCHEMA } });
}
