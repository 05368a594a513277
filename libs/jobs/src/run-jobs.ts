import type { Job } from 'bullmq';
import { assertQueueMigrated } from './assert-queue-migrated';
import { openQueue, openWorker, type JobBackend } from './job-backend';
import { isJobName, JOBS, KEPT_JOBS, QUEUE_NAME, RETRY_POLICY, type JobHandlers } from './job-table';

export interface RunJobsOptions {
  backend: JobBackend;
  handlers: JobHandlers;
  /** A job failed; it is tried again while it has attempts left. */
  onFailed: (job: string, attempt: number, error: unknown) => void;
  /** The backend's connection has a problem; it is opened again by itself. */
  onError: (error: unknown) => void;
}

export interface RunningJobs {
  /** Lets the running job finish. */
  close(): Promise<void>;
}

/** How many jobs a worker does at once. */
const CONCURRENCY = 4;

/**
 * Does jobs as they come, and sees that the periodic ones come. Any number of workers may run side by side.
 * Throws `QueueNotMigratedError`.
 */
export async function runJobs({
  backend,
  handlers,
  onFailed,
  onError,
}: RunJobsOptions): Promise<RunningJobs> {
  await assertQueueMigrated(backend);
  const queue = openQueue(backend, QUEUE_NAME);
  queue.on('error', onError);
  await scheduleJobs(queue);

  const worker = openWorker(backend, QUEUE_NAME, (job) => perform(handlers, job), {
    concurrency: CONCURRENCY,
  });
  worker.on('error', onError);
  worker.on('failed', (job, error) => {
    onFailed(job?.name ?? 'unknown', job?.attemptsMade ?? 0, error);
  });
  await worker.waitUntilReady();

  return {
    async close() {
      await worker.close();
      await queue.close();
    },
  };
}

async function scheduleJobs(queue: ReturnType<typeof openQueue>): Promise<void> {
  for (const scheduler of await queue.getJobSchedulers()) {
    if (!isJobName(scheduler.key)) await queue.removeJobScheduler(scheduler.key);
  }
  for (const [name, { everyMs }] of Object.entries(JOBS)) {
    const template = { name, data: {}, opts: { ...RETRY_POLICY, ...KEPT_JOBS } };
    await queue.upsertJobScheduler(name, { every: everyMs }, template);
  }
}

async function perform(handlers: JobHandlers, { name, data }: Job): Promise<void> {
  if (!isJobName(name)) throw new Error(`there is no job ${name}`);
  await handlers[name](JOBS[name].payload.parse(data));
}
