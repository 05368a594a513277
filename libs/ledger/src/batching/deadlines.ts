import { LedgerUnavailableError } from '../hold';
import type { ContendedAccounts } from './contended-accounts';
import type { Flusher } from './flusher';
import type { Lane } from './lane';
import { ConnectionLostError } from './ledger-connection';
import type { MainLanes } from './main-lanes';
import type { IsOver } from './queue';
import type { UnflushedAnswers } from './unflushed-answers';

export interface DeadlinesOptions {
  main: MainLanes;
  mainLanes: readonly Lane[];
  contended: ContendedAccounts;
  unflushed: UnflushedAnswers;
  contendedLanes: readonly Lane[];
  flusher: Flusher;
  /** Whether nobody waits for anything: then there is nothing to check. */
  isIdle: () => boolean;
  now: () => number;
}

const CHECK_MS = 50;

/** Rejects every expired waiter, wherever their item is: in a queue, in a call, or done. */
export class Deadlines {
  readonly #options: DeadlinesOptions;
  #checking: NodeJS.Timeout | undefined;
  #isPatient = true;

  constructor(options: DeadlinesOptions) {
    this.#options = options;
  }

  /** Checks them until nobody waits. */
  start(): void {
    // Checks the sockets once more first: if this process itself stalled, the replies may be there.
    this.#checking ??= setInterval(() => setImmediate(this.#check), CHECK_MS);
  }

  stop(): void {
    clearInterval(this.#checking);
    this.#checking = undefined;
  }

  /** From now on everybody's time is over. */
  stopWaiting(): void {
    this.#isPatient = false;
    this.#check();
  }

  readonly #check = (): void => {
    const { main, mainLanes, contended, unflushed, contendedLanes, isIdle } = this.#options;
    if (isIdle()) {
      this.stop();
      return;
    }
    const nowMs = this.#options.now();
    for (const [queued, lanes] of [
      [main, mainLanes],
      [contended, contendedLanes],
    ] as const) {
      const failure = lanes.find((lane) => lane.failure !== undefined)?.failure;
      for (const waiting of queued.takeExpired(this.#isOverAfter(failure, nowMs)))
        waiting.reject(toLateError(failure));
    }
    const done = { underWay: unflushed.waiting, failure: undefined };
    for (const { underWay, failure } of [...mainLanes, ...contendedLanes, done]) {
      const isOver = this.#isOverAfter(failure, nowMs);
      for (const waiting of underWay) {
        if (waiting.abandoned || !isOver(waiting)) continue;
        waiting.abandoned = true;
        waiting.reject(toLateError(failure));
      }
    }
  };

  /** For waiters of a lane that failed like this: while the database answers, some have more time. */
  #isOverAfter(failure: unknown, nowMs: number): IsOver {
    const isAnswering = failure === undefined && this.#options.flusher.isConnected;
    return ({ deadlineAtMs, lastDeadlineAtMs }) =>
      !this.#isPatient || (isAnswering ? lastDeadlineAtMs : deadlineAtMs) <= nowMs;
  }
}

/**
 * The error of waiters without an answer in time. Only a database that cannot be reached is worth a retry. An
 * unexpected error is passed on as it is, and must not be mistaken for that.
 */
function toLateError(failure: unknown): Error {
  const isExpected = failure === undefined || failure instanceof ConnectionLostError;
  if (!isExpected && failure instanceof Error) return failure;
  return new LedgerUnavailableError('the ledger did not answer in time', { cause: failure });
}
