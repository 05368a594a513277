import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from './transaction';

interface ReachOptions {
  /** Time limit of the whole start, from its first query on. */
  timeoutMs: number;
  /** Called when the start begins to wait, and then at intervals. */
  onWait: (error: unknown) => void;
  now?: () => number;
  pause?: (ms: number) => Promise<unknown>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const SAID_AGAIN_MS = 10_000;

/**
 * Runs the first queries of a starting process, and retries while the database cannot be reached: it may be
 * starting too, or be slow. Errors that a retry cannot fix, such as a wrong password or a missing migration,
 * are thrown at once. The query must leave nothing open when it throws.
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
