import { setTimeout as sleep } from 'node:timers/promises';
import { singleFlight, within } from '@farebox/flow';
import type { Job, MinimalJob } from 'bullmq';
import {
  assertQueueMigrated,
  openQueue,
  openWorker,
  shareConnections,
  type JobBackend,
  type JobQueue,
  type JobWorker,
} from './job-backend';
import {
  isJobName,
  jobOptions,
  JOBS,
  pauseMs,
  QUEUE_NAMES,
  QUEUES,
  RETRIES_FOR_SECONDS,
  type Delivery,
  type JobDefinition,
  type JobHandlers,
  type QueueName,
} from './job-table';
import { measureQueue, type QueueMeasure } from './measure-queues';

export interface RunJobsOptions {
  backend: JobBackend;
  handlers: JobHandlers;
  /** A job failed. */
  onFailed: (failure: JobFailure) => void;
  /** The backend's connection failed; it is reopened automatically. */
  onError: (error: unknown) => void;
  /** How long a worker owns a job after its last renewal. Then another worker gets it. */
  lockMs?: number;
  /** Interval of the check that the backend still has the periodic jobs. */
  checkSchedulesMs?: number;
}

export interface JobFailure {
  job: string;
  id: string;
  attempt: number;
  /** It will not be retried: it is a dead letter. */
  isGivenUp: boolean;
  error: unknown;
}

export interface RunningJobs {
  /** Whether this process takes jobs from every queue and the backend answers. */
  isWorking(): Promise<boolean>;
  /** Throws if the backend does not answer in time. */
  measure(): Promise<QueueMeasure[]>;
  /**
   * Lets running jobs finish. Does not wait for an unreachable backend: a job whose end was not reported is
   * delivered again.
   */
  close(): Promise<void>;
}

const DEFAULT_LOCK_MS = 30_000;
/** The period of the most frequent job. */
const DEFAULT_CHECK_SCHEDULES_MS = 10_000;
const MEASURE_TIMEOUT_MS = 2_000;
/** Time limit for reporting the end of a job to the backend. */
const TELL_TIMEOUT_MS = 2_000;
const LOOK_AGAIN_MS = 20;
const CLOSE_TIMEOUT_MS = 2_000;
/** A worker that dies says nothing about its job, so the job is redelivered many times. */
const MAX_LOST_DELIVERIES = 50;

/** Jobs that are running, or whose end is being reported to the backend. */
type UnderWay = Set<Job>;

/**
 * Runs jobs as they arrive, and keeps the periodic ones scheduled. Any number of workers may run side by
 * side. Throws `QueueNotMigratedError`.
 */
export async function runJobs(options: RunJobsOptions): Promise<RunningJobs> {
  const { onError, checkSchedulesMs = DEFAULT_CHECK_SCHEDULES_MS } = options;
  await assertQueueMigrated(options.backend);
  const backend = shareConnections(options.backend, QUEUE_NAMES.length);
  const givenUp = new AbortController();
  const queues = await Promise.all(
    QUEUE_NAMES.map(async (name) => {
      const queue = openQueue(backend, name, givenUp.signal);
      queue.on('error', onError);
      const schedules = await keepSchedules(queue, name, { checkEveryMs: checkSchedulesMs, onError });
      return { name, queue, schedules };
    }),
  );
  const underWay: UnderWay = new Set();
  const workers = QUEUE_NAMES.map((name) =>
    startWorker({ ...options, backend }, name, underWay, givenUp.signal),
  );
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  // Calls to an unreachable backend wait until it is back, so they must not pile up.
  const measureAll = singleFlight(() =>
    Promise.all(queues.map(({ name, queue }) => measureQueue(name, queue))),
  );
  const measure = (): Promise<QueueMeasure[]> => within(MEASURE_TIMEOUT_MS, measureAll());

  return {
    measure,
    async isWorking() {
      if (!workers.every((worker) => worker.isRunning())) return false;
      return measure().then(
        () => true,
        () => false,
      );
    },
    async close() {
      for (const { schedules } of queues) schedules.stop();
      await Promise.all(workers.map((worker) => worker.pause(true)));
      while (underWay.size > 0) await sleep(LOOK_AGAIN_MS);
      givenUp.abort();
      // By force: otherwise BullMQ waits forever for a backend that is lost during closing.
      const closed = workers.map((worker) => worker.close(true));
      const ended = queues.map(({ queue }) => queue.disconnect());
      const allEnded = Promise.allSettled([...closed, ...ended]).then(() => endConnections(backend));
      await within(CLOSE_TIMEOUT_MS, allEnded).catch(() => undefined);
    },
  };
}

async function endConnections(backend: JobBackend): Promise<void> {
  if (backend.kind === 'postgres') await backend.pool?.end();
}

function startWorker(
  options: RunJobsOptions,
  name: QueueName,
  underWay: UnderWay,
  givenUp: AbortSignal,
): JobWorker {
  const { backend, handlers, onFailed, onError, lockMs = DEFAULT_LOCK_MS } = options;
  const follow = (job: Job): Promise<void> => {
    underWay.add(job);
    const performed = perform(handlers, job);
    // Reports nothing, and waits for nothing, if the backend is unreachable or has given the job to another
    // worker.
    const letGo = (): void => {
      setTimeout(() => underWay.delete(job), TELL_TIMEOUT_MS).unref();
    };
    void performed.then(letGo, letGo);
    return performed;
  };
  const settings = {
    concurrency: QUEUES[name].concurrency,
    lockDuration: lockMs,
    stalledInterval: lockMs,
    maxStalledCount: MAX_LOST_DELIVERIES,
    settings: {
      backoffStrategy: (failures: number, _type?: string, _error?: Error, job?: MinimalJob) =>
        pauseOf(job?.name, failures),
    },
  };
  const worker = openWorker(backend, name, follow, settings, givenUp);
  worker.on('error', onError);
  worker.on('completed', (job) => {
    underWay.delete(job);
  });
  worker.on('failed', (job, error) => {
    if (job) underWay.delete(job);
    onFailed(toFailure(job, error));
  });
  return worker;
}

/** Also covers unknown jobs, which a newer version may have sent. */
function pauseOf(name: string | undefined, failures: number): number {
  const isKnown = name !== undefined && isJobName(name);
  return pauseMs(isKnown ? JOBS[name].retries : RETRIES_FOR_SECONDS, failures);
}

async function perform(handlers: JobHandlers, { name, id, data }: Job): Promise<void> {
  if (!isJobName(name)) throw new Error(`there is no job ${name}`);
  const { payload }: JobDefinition = JOBS[name];
  const handle = handlers[name] as (payload: unknown, delivery: Delivery) => Promise<void>;
  await handle(payload.parse(data), { id: id ?? '' });
}

function toFailure(job: Job | undefined, error: unknown): JobFailure {
  if (!job) return { job: 'unknown', id: '', attempt: 0, isGivenUp: true, error };
  const isGivenUp = job.finishedOn != null;
  return { job: job.name, id: job.id ?? '', attempt: job.attemptsMade, isGivenUp, error };
}

interface KeptSchedules {
  /** Stops checking. */
  stop(): void;
}

interface KeepSchedulesOptions {
  checkEveryMs: number;
  onError: (error: unknown) => void;
}

/**
 * Keeps exactly the periodic jobs of this version scheduled in a queue: now and at intervals, since a Redis
 * that was emptied has none. Throws if the backend cannot be reached now.
 */
async function keepSchedules(
  queue: JobQueue,
  name: QueueName,
  { checkEveryMs, onError }: KeepSchedulesOptions,
): Promise<KeptSchedules> {
  const stopped = new AbortController();
  await replaceSchedules(queue, name);
  void (async () => {
    while (await hasPassed(checkEveryMs, stopped.signal)) {
      try {
        await scheduleMissing(queue, name);
      } catch (error) {
        if (!stopped.signal.aborted) onError(error);
      }
    }
  })();
  return {
    stop: () => {
      stopped.abort();
    },
  };
}

/** Replaces the schedules that another version may have left. */
async function replaceSchedules(queue: JobQueue, queueName: QueueName): Promise<void> {
  const periodic = periodicJobsOf(queueName);
  for (const key of await readScheduled(queue)) {
    if (!periodic.some(({ name }) => name === key)) await queue.removeJobScheduler(key);
  }
  for (const job of periodic) await schedule(queue, job);
}

/** Existing schedules are left alone, so that their next run stays. */
async function scheduleMissing(queue: JobQueue, queueName: QueueName): Promise<void> {
  const scheduled = await readScheduled(queue);
  for (const job of periodicJobsOf(queueName)) if (!scheduled.includes(job.name)) await schedule(queue, job);
}

interface PeriodicJob {
  name: string;
  definition: JobDefinition;
  everyMs: number;
}

function periodicJobsOf(queueName: QueueName): PeriodicJob[] {
  return Object.entries<JobDefinition>(JOBS).flatMap(([name, definition]) =>
    definition.queue === queueName && definition.everyMs !== undefined
      ? [{ name, definition, everyMs: definition.everyMs }]
      : [],
  );
}

async function readScheduled(queue: JobQueue): Promise<string[]> {
  return (await queue.getJobSchedulers()).map(({ key }) => key);
}

async function schedule(queue: JobQueue, { name, definition, everyMs }: PeriodicJob): Promise<void> {
  const template = { name, data: {}, opts: jobOptions(definition) };
  await queue.upsertJobScheduler(name, { every: everyMs }, template);
}

async function hasPassed(pauseMs: number, stopped: AbortSignal): Promise<boolean> {
  try {
    await sleep(pauseMs, undefined, { signal: stopped });
    return true;
  } catch {
    return false;
  }
}
