import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from './transaction';

interface ReachOptions {
  /** How long the whole start waits, from its first question on. */
  timeoutMs: number;
  /** Told that the start waits: at once, and again from time to time. */
  onWait: (error: unknown) => void;
  now?: () => number;
  pause?: (ms: number) => Promise<unknown>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const SAID_AGAIN_MS = 10_000;

/**
 * Asks the database of a process that starts, again and again while it cannot be reached: it may be starting too, or be
 * slow. What another try does not change is thrown at once, as a wrong password or a missing migration. What is asked must
 * leave nothing open when it throws.
 */
export function reachDatabase({
  timeoutMs,
  onWait,
  now = () => performance.now(),
  pause = sleep,
}: ReachOptions): <Answer>(ask: () => Promise<Answer>) => Promise<Answer> {
  const givenUpAtMs = now() + timeoutMs;
  let saidAtMs = -Infinity;
  return async (ask) => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await ask();
      } catch (error) {
        if (!isDatabaseUnavailable(error) || now() + pauseMs > givenUpAtMs) throw error;
        if (now() - saidAtMs >= SAID_AGAIN_MS) {
          saidAtMs = now();
          onWait(error);
        }
        await pause(pauseMs);
      }
    }
  };
}
