import { within } from '@farebox/flow';
import type { Job } from 'bullmq';
import { openImpatientQueue, type JobBackend, type JobQueue } from './job-backend';
import { QUEUE_NAMES, type QueueName } from './job-table';

/** The state of a job. `failed` is a dead letter, which is not retried automatically. */
type JobState = 'waiting' | 'delayed' | 'active' | 'failed' | 'done';

/** A job in a queue, as an operator sees it. */
export interface JobRecord {
  id: string;
  job: string;
  queue: QueueName;
  state: JobState;
  /** Attempts so far, and their maximum. */
  attempts: number;
  maxAttempts: number;
  /** The last error message. */
  failure: string | null;
  payload: unknown;
  createdAt: Date;
  /** The next retry; null if none is planned. */
  nextTryAt: Date | null;
  failedAt: Date | null;
}

interface JobFilter {
  queue?: QueueName | undefined;
  /** Only dead letters. Otherwise also pending jobs. */
  failedOnly?: boolean;
  limit: number;
}

/**
 * Operations on jobs for an operator. Every call fails with `NoAnswerInTimeError` if the queue's backend is
 * not reachable.
 */
export interface QueueAdmin {
  /** Newest first. */
  list(filter: JobFilter): Promise<JobRecord[]>;
  find(id: string): Promise<JobRecord | undefined>;
  /** Requeues a dead letter with all of its attempts. */
  retry(job: Pick<JobRecord, 'id' | 'queue'>): Promise<'retried' | 'no_such_job' | 'not_failed'>;
  /** Discards a dead letter for good. */
  discard(job: Pick<JobRecord, 'id' | 'queue'>): Promise<'discarded' | 'no_such_job' | 'not_failed'>;
  close(): Promise<void>;
}

/** An operator prefers waiting to an error when a queue only stalls for a moment. */
const ANSWER_TIMEOUT_MS = 8_000;
/** Longer than the time for connecting. */
const CALL_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;
const NOT_DONE = ['waiting', 'active', 'delayed', 'failed'] as const;

export function openQueueAdmin(backend: JobBackend): QueueAdmin {
  // A running call reports a lost connection.
  const queues = QUEUE_NAMES.map((name) => ({
    name,
    queue: openImpatientQueue(backend, name, {
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      onError: () => undefined,
    }),
  }));

  async function list({ queue: wanted, failedOnly = false, limit }: JobFilter): Promise<JobRecord[]> {
    const types = failedOnly ? ['failed' as const] : [...NOT_DONE];
    const lists = await Promise.all(
      queues
        .filter(({ name }) => wanted === undefined || name === wanted)
        .map(async ({ name, queue }) => {
          const jobs = await queue.getJobs(types, 0, limit - 1);
          return Promise.all(jobs.map((job) => toRecord(name, job)));
        }),
    );
    return lists
      .flat()
      .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
      .slice(0, limit);
  }

  async function find(id: string): Promise<JobRecord | undefined> {
    for (const { name, queue } of queues) {
      const job = await getJob(queue, id);
      if (job) return toRecord(name, job);
    }
    return undefined;
  }

  /** Applies an action to a dead letter. */
  async function withFailed<Done extends string>(
    { id, queue: name }: Pick<JobRecord, 'id' | 'queue'>,
    done: Done,
    act: (job: Job) => Promise<unknown>,
  ): Promise<Done | 'no_such_job' | 'not_failed'> {
    const entry = queues.find((one) => one.name === name);
    const job = entry && (await getJob(entry.queue, id));
    if (!job) return 'no_such_job';
    if ((await job.getState()) !== 'failed') return 'not_failed';
    await act(job);
    return done;
  }

  return {
    list: (filter) => within(CALL_TIMEOUT_MS, list(filter)),
    find: (id) => within(CALL_TIMEOUT_MS, find(id)),
    retry: (job) =>
      within(
        CALL_TIMEOUT_MS,
        withFailed(job, 'retried', (failed) => failed.retry('failed', { resetAttemptsMade: true })),
      ),
    discard: (job) =>
      within(
        CALL_TIMEOUT_MS,
        withFailed(job, 'discarded', (failed) => failed.remove()),
      ),
    async close() {
      await Promise.all(
        queues.map(({ queue }) => within(CLOSE_TIMEOUT_MS, queue.close()).catch(() => undefined)),
      );
    },
  };
}

/** BullMQ's types claim that it always exists. */
async function getJob(queue: JobQueue, id: string): Promise<Job | undefined> {
  return (await queue.getJob(id)) as Job | undefined;
}

async function toRecord(queue: QueueName, job: Job): Promise<JobRecord> {
  const state = toState(await job.getState());
  const restsUntilMs = (job.processedOn ?? job.timestamp) + job.delay;
  return {
    id: job.id ?? '',
    job: job.name,
    queue,
    state,
    attempts: job.attemptsMade,
    maxAttempts: job.opts.attempts ?? 1,
    failure: job.failedReason || null,
    payload: job.data as unknown,
    createdAt: new Date(job.timestamp),
    nextTryAt: state === 'delayed' ? new Date(restsUntilMs) : null,
    failedAt: state === 'failed' && job.finishedOn != null ? new Date(job.finishedOn) : null,
  };
}

function toState(state: string): JobState {
  if (state === 'completed') return 'done';
  return state === 'active' || state === 'delayed' || state === 'failed' ? state : 'waiting';
}
