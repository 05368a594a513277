/** How often a job is tried, and how long it rests before it is tried again. */
export interface RetryPolicy {
  /** The first try counts. When all are used, the job is a dead letter. */
  attempts: number;
  firstPauseMs: number;
  /** Pauses double until they are this long. */
  longestPauseMs: number;
}

/** For what comes again by itself, soon. */
export const RETRIES_FOR_SECONDS: RetryPolicy = { attempts: 5, firstPauseMs: 1_000, longestPauseMs: 60_000 };

/** For what would be lost: some eight hours, so that an outage of a night heals by itself. */
export const RETRIES_FOR_HOURS: RetryPolicy = { attempts: 40, firstPauseMs: 5_000, longestPauseMs: 900_000 };

/** The pause after `failures` failures, one at least. */
export function pauseMs({ firstPauseMs, longestPauseMs }: RetryPolicy, failures: number): number {
  return Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
}
