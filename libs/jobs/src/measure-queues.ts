import { within } from '@farebox/errors';
import { openImpatientQueue, type BullQueue, type JobBackend, type JobQueue } from './job-backend';
import { QUEUE_NAMES, type QueueName } from './job-table';

/** How much there is to do in a queue. */
export interface QueueMeasure {
  queue: QueueName;
  waiting: number;
  active: number;
  /** Those that come later: periodic ones, and failed ones that are tried again. */
  delayed: number;
  /** Those that are not tried again: dead letters. */
  failed: number;
  /** How long the oldest job has waited that could be done now. 0 if none waits. */
  oldestWaitingMs: number;
}

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

/** Waits as long as the backend takes. */
export async function measureQueue(
  name: QueueName,
  queue: Pick<JobQueue, 'getJobCounts' | 'getJobs'>,
  now: () => number = Date.now,
): Promise<QueueMeasure> {
  const counts = await queue.getJobCounts(...STATES);
  const waiting = counts['waiting'] ?? 0;
  // From the newest on: counted from the oldest, the backend in PostgreSQL answers with the newest all the same.
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

/** When it could first be done; of one that is tried again, when it was last begun. */
function dueAtMs({ timestamp, processedOn, opts }: Waiting): number {
  return processedOn ?? timestamp + (opts.delay ?? 0);
}

/** All queues, for who looks at them. */
interface AllQueues {
  /** As BullMQ has them, for its board. */
  queues: readonly BullQueue[];
  /** How much there is to do in each. Fails with `NoAnswerInTimeError` if the queues' backend is not there. */
  measure(): Promise<QueueMeasure[]>;
  close(): Promise<void>;
}

const ANSWER_TIMEOUT_MS = 1_500;
/** Longer than connecting takes. */
const MEASURE_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;

/** Connects by itself, and again. `onError` is told of the connection's troubles; a call under way fails with them. */
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
