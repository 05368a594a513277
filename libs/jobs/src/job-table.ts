import { z } from 'zod';

/** The queue of all jobs. */
export const QUEUE_NAME = 'farebox';

/** Every job that exists: what it carries, and how often it runs by itself. */
export const JOBS = {
  /** Releases holds of gateways that stopped renewing their lease. Needs no payload: Postgres says which. */
  'sweep-holds': { payload: z.strictObject({}), everyMs: 10_000 },
  /** Deletes stored answers whose time to be replayed is over. Needs no payload: Postgres says which. */
  'forget-answers': { payload: z.strictObject({}), everyMs: 600_000 },
  /** Sums usage of hours that are over. Needs no payload: Postgres says which. */
  'sum-usage': { payload: z.strictObject({}), everyMs: 60_000 },
  /** Deletes links, throttles and sessions that nobody can use any more. Needs no payload: Postgres says which. */
  'forget-sign-ins': { payload: z.strictObject({}), everyMs: 3_600_000 },
} as const satisfies Record<string, { payload: z.ZodType; everyMs?: number }>;

export type JobName = keyof typeof JOBS;
export type JobPayload<Name extends JobName> = z.output<(typeof JOBS)[Name]['payload']>;

/** What does a job. It may run twice, and twice at once: its effect must be the same as of one run. */
export type JobHandlers = { [Name in JobName]: (payload: JobPayload<Name>) => Promise<void> };

/** A job that fails is tried again, after a growing pause. */
export const RETRY_POLICY = { attempts: 5, backoff: { type: 'exponential', delay: 1_000 } } as const;

/** How many finished jobs are kept to be looked at. */
export const KEPT_JOBS = { removeOnComplete: { count: 100 }, removeOnFail: { count: 1_000 } } as const;

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}
