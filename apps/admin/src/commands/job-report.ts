import { toUnixSeconds } from '@farebox/contracts';
import type { JobRecord } from '@farebox/jobs';

export type JobReport = ReturnType<typeof toJobReport>;

/** A job as a script sees it. `failed`: it is not tried again by itself. */
export function toJobReport(record: JobRecord) {
  return {
    job_id: record.id,
    job: record.job,
    queue: record.queue,
    state: record.state,
    attempts: record.attempts,
    max_attempts: record.maxAttempts,
    failure: record.failure,
    created_at: toUnixSeconds(record.createdAt),
    next_try_at: record.nextTryAt === null ? null : toUnixSeconds(record.nextTryAt),
    failed_at: record.failedAt === null ? null : toUnixSeconds(record.failedAt),
  };
}

const LONGEST_FAILURE = 120;

/** The first line of what went wrong, for a table. */
export function shortFailure(failure: string | null): string {
  const line = failure?.split('\n')[0] ?? '';
  return line.length > LONGEST_FAILURE ? `${line.slice(0, LONGEST_FAILURE)}…` : line;
}
