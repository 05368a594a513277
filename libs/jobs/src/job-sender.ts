import { within } from '@farebox/flow';
import { z } from 'zod';
import { openImpatientQueue, type JobBackend, type JobQueue } from './job-backend';
import {
  jobOptions,
  JOBS,
  type JobDefinition,
  type JobPayload,
  type QueueName,
  type SentJobName,
} from './job-table';

/** It is not known whether a job is in its queue: it may be, if the response was late. */
export class JobNotSentError extends Error {
  constructor(job: string, cause: unknown) {
    super(`the job ${job} could not be put into its queue`, { cause });
    this.name = 'JobNotSentError';
  }
}

/** Puts jobs into their queues. */
export interface JobSender {
  /**
   * `id` identifies the work: while the queue knows a job with that id, whether waiting, failed or just done,
   * no other is added. It must contain no colon and not be a number. Returns or throws `JobNotSentError` in
   * time; then it may be sent again.
   */
  send<Name extends SentJobName>(job: Name, id: string, payload: JobPayload<Name>): Promise<void>;
  /** Waits for jobs that are being sent. */
  close(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 2_000;
/** Share of the sending time, so that a late job is known as such before its sender gives up. */
const ANSWER_SHARE = 3 / 4;
const CLOSE_TIMEOUT_MS = 1_000;

interface OpenQueue {
  queue: JobQueue;
  /** The last error of the connection. */
  lastError: unknown;
}

/** Connects to a queue on its first job. No call waits longer than `timeoutMs`. */
export function openJobSender(
  backend: JobBackend,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: { timeoutMs?: number } = {},
): JobSender {
  const open = new Map<QueueName, OpenQueue>();
  const sending = new Set<Promise<void>>();

  function queueOf(name: QueueName): OpenQueue {
    const known = open.get(name);
    if (known) return known;
    const entry: OpenQueue = {
      queue: openImpatientQueue(backend, name, {
        answerTimeoutMs: timeoutMs * ANSWER_SHARE,
        onError(error) {
          entry.lastError = error;
        },
      }),
      lastError: undefined,
    };
    open.set(name, entry);
    // A BullMQ queue that failed during creation stays broken.
    entry.queue.waitUntilReady().catch((error: unknown) => {
      entry.lastError = error;
      if (open.get(name) === entry) open.delete(name);
      void closeInTime(entry.queue);
    });
    return entry;
  }

  async function put(job: SentJobName, id: string, payload: unknown): Promise<void> {
    const definition: JobDefinition = JOBS[job];
    const data = z.encode(definition.payload, payload);
    const entry = queueOf(definition.queue);
    try {
      await within(timeoutMs, entry.queue.add(job, data, { ...jobOptions(definition), jobId: id }));
      entry.lastError = undefined;
    } catch (error) {
      throw new JobNotSentError(job, entry.lastError ?? error);
    }
  }

  return {
    async send(job, id, payload) {
      const sent = put(job, id, payload);
      sending.add(sent);
      try {
        await sent;
      } finally {
        sending.delete(sent);
      }
    },
    async close() {
      await Promise.allSettled(sending);
      const queues = [...open.values()];
      open.clear();
      await Promise.all(queues.map(({ queue }) => closeInTime(queue)));
    },
  };
}

async function closeInTime(queue: JobQueue): Promise<void> {
  await within(CLOSE_TIMEOUT_MS, queue.close()).catch(() => undefined);
}
