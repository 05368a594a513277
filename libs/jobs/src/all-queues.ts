import { openImpatientQueue, type BullQueue, type JobBackend } from './job-backend';
import { measureQueue, type QueueMeasure } from './measure-queues';
import { QUEUE_NAMES, type QueueName } from './queues';
import { within } from './within';

/** All queues, for who looks at them. */
export interface AllQueues {
  /** As BullMQ has them, for its board. */
  queues: readonly BullQueue[];
  /** How much there is to do in each. Fails with `NoAnswerInTimeError` where the queues' backend is not there. */
  measure(): Promise<QueueMeasure[]>;
  close(): Promise<void>;
}

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
    openImpatientQueue(backend, name, onError),
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
