import { within } from '@farebox/flow';
import { openImpatientQueue, type BullQueue, type JobBackend, type JobQueue } from './job-backend';
import { QUEUE_NAMES, type QueueName } from './job-table';

/** The amount of work in a queue. */
export interface QueueMeasure {
  queue: QueueName;
  waiting: number;
  active: number;
  /** Delayed jobs: periodic ones, and failed ones that will be retried. */
  delayed: number;
  /** Dead letters, which are not retried. */
  failed: number;
  /** The waiting time of the oldest job that is ready to run. 0 if none waits. */
  oldestWaitingMs: number;
}

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

/** Has no time limit of its own. */
export async function measureQueue(
  name: QueueName,
  queue: Pick<JobQueue, 'getJobCounts' | 'getJobs'>,
  now: () => number = Date.now,
): Promise<QueueMeasure> {
  const counts = await queue.getJobCounts(...STATES);
  const waiting = counts['waiting'] ?? 0;
  // Counted from the newest: if counted from the oldest, the PostgreSQL backend returns the newest all the
  // same.
  const [oldest] = waiting === 0 ? [] : await queue.getJobs(['waiting'], waiting - 1, waiting - 1, false);
  return {
    queue: name,
    waiting,
    active: counts['active'] ?? 0,
    delayed: counts['delayed'] ?? 0,
    failed: counts['failed'] ?? 0,
    oldestWaitingMs: oldest ? Math.max(0, now() - dueAtMs(oldest)) : 0,
  };
}

interface Waiting {
  timestamp: number;
  processedOn?: number;
  opts: { delay?: number };
}

/** When it was first ready to run; for a retried job, when it last started. */
function dueAtMs({ timestamp, processedOn, opts }: Waiting): number {
  return processedOn ?? timestamp + (opts.delay ?? 0);
}

/** All queues, for inspection. */
interface AllQueues {
  /** BullMQ's own queues, for its board. */
  queues: readonly BullQueue[];
  /** The amount of work in each queue. Fails with `NoAnswerInTimeError` if the backend is not reachable. */
  measure(): Promise<QueueMeasure[]>;
  close(): Promise<void>;
}

const ANSWER_TIMEOUT_MS = 1_500;
/** Longer than the time for connecting. */
const MEASURE_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;

/** Connects and reconnects by itself. `onError` receives connection errors, which fail a running call. */
export function openAllQueues(
  backend: JobBackend,
  onError: (error: unknown) => void = () => undefined,
): AllQueues {
  const queues = QUEUE_NAMES.map((name): [QueueName, BullQueue] => [
    name,
    openImpatientQueue(backend, name, { answerTimeoutMs: ANSWER_TIMEOUT_MS, onError }),
  ]);
  return {
    queues: queues.map(([, queue]) => queue),
    measure: () =>
      within(MEASURE_TIMEOUT_MS, Promise.all(queues.map(([name, queue]) => measureQueue(name, queue)))),
    async close() {
      await Promise.all(
        queues.map(([, queue]) => within(CLOSE_TIMEOUT_MS, queue.close()).catch(() => undefined)),
      );
    },
  };
}
