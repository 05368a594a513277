import { setTimeout as sleep } from 'node:timers/promises';

export interface RunningLoop {
  /** Lets the current work finish. */
  close(): Promise<void>;
}

interface LoopParts {
  /** Returns early if the signal is aborted. */
  work: (closing: AbortSignal) => Promise<unknown>;
  /** Called on the first of several failures in a row. */
  onTrouble: (error: unknown) => void;
  /** Called on the first success after a failure. */
  onRecovery: () => void;
  pauseMs?: (failures: number) => number;
}

const IDLE_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** The pause after a success, or after a number of failures in a row. */
export function loopPauseMs(failures: number): number {
  return Math.min(IDLE_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
}

/** Repeats the work, less and less often while it fails. */
export function runLoop({ work, onTrouble, onRecovery, pauseMs = loopPauseMs }: LoopParts): RunningLoop {
  const closing = new AbortController();

  async function run(): Promise<void> {
    let failures = 0;
    while (!closing.signal.aborted) {
      try {
        await work(closing.signal);
        if (failures > 0) onRecovery();
        failures = 0;
      } catch (error) {
        failures++;
        if (failures === 1) onTrouble(error);
      }
      await sleep(pauseMs(failures), undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}
