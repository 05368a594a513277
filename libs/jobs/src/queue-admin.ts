import { within } from '@farebox/errors';
import type { Job } from 'bullmq';
import { openImpatientQueue, type JobBackend, type JobQueue } from './job-backend';
import { QUEUE_NAMES, type QueueName } from './job-table';

/** Where a job is. `failed` is a dead letter: it is not tried again by itself. */
type JobState = 'waiting' | 'delayed' | 'active' | 'failed' | 'done';

/** A job that is in a queue, as an operator sees it. */
export interface JobRecord {
  id: string;
  job: string;
  queue: QueueName;
  state: JobState;
  /** How often it has been tried, and at most will be. */
  attempts: number;
  maxAttempts: number;
  /** What the last failure said. */
  failure: string | null;
  payload: unknown;
  createdAt: Date;
  /** When it is tried again; null if it does not wait for that. */
  nextTryAt: Date | null;
  failedAt: Date | null;
}

interface JobFilter {
  queue?: QueueName | undefined;
  /** Dead letters alone. Without it also what is still to be done. */
  failedOnly?: boolean;
  limit: number;
}

/** What an operator does with jobs. Every call fails with `NoAnswerInTimeError` if the queue's backend is not there. */
export interface QueueAdmin {
  /** Newest first. */
  list(filter: JobFilter): Promise<JobRecord[]>;
  find(id: string): Promise<JobRecord | undefined>;
  /** Puts a dead letter back among the waiting, with all of its attempts. */
  retry(job: Pick<JobRecord, 'id' | 'queue'>): Promise<'retried' | 'no_such_job' | 'not_failed'>;
  /** Takes a dead letter away for ever. */
  discard(job: Pick<JobRecord, 'id' | 'queue'>): Promise<'discarded' | 'no_such_job' | 'not_failed'>;
  close(): Promise<void>;
}

/** An operator rather waits than is told that a queue is not there which stands still for a moment. */
const ANSWER_TIMEOUT_MS = 8_000;
/** Longer than connecting takes. */
const CALL_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;
const NOT_DONE = ['waiting', 'active', 'delayed', 'failed'] as const;

export function openQueueAdmin(backend: JobBackend): QueueAdmin {
  // The call under way tells of a lost connection.
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

  /** Does something with a dead letter. */
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

/** BullMQ's types say that there is always one. */
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
