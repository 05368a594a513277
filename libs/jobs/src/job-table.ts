import { HOUR_MS, MINUTE_MS, USAGE_OUTCOMES } from '@farebox/errors';
import type { NanoUsd } from '@farebox/money';
import { z } from 'zod';

/** The queues. Jobs of one do not wait for those of another. `npm run migrate` prepares them. */
export const QUEUES = {
  /** What runs by itself. It comes again, so that an old failure is only there to be looked at. */
  farebox: { concurrency: 4, keptFailures: 1_000 },
  /** Charges that a gateway could not record. A failure is kept until somebody has dealt with it. */
  'farebox-charges': { concurrency: 4, keptFailures: Infinity },
  /** Mails. A failure is kept until somebody has dealt with it. */
  'farebox-mail': { concurrency: 2, keptFailures: Infinity },
} as const satisfies Record<string, { concurrency: number; keptFailures: number }>;

export type QueueName = keyof typeof QUEUES;

export const QUEUE_NAMES = Object.keys(QUEUES) as readonly QueueName[];

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

/** What is known of a job: where it waits, what it carries, how often it is tried, and when it runs by itself. */
export interface JobDefinition {
  queue: QueueName;
  /** A codec: what is written into the queue is its input, what a handler gets is its output. */
  payload: z.ZodType;
  retries: RetryPolicy;
  /** Runs by itself, so often. Without it, somebody sends it. */
  everyMs?: number;
}

const count = z.int().min(0);

/** An amount is a decimal string in the queue, and a bigint for everybody else. */
const amountNano = z.codec(
  z.string().regex(/^\d{1,19}$/),
  z.custom<NanoUsd>((value) => typeof value === 'bigint'),
  { decode: (text) => BigInt(text) as NanoUsd, encode: String },
);

/**
 * A charge that a gateway could not record: the hold, and what was measured of its request. The shape is closed, so that
 * nothing of a prompt or an answer can get into a queue.
 */
const failedCharge = z.strictObject({
  holdId: z.uuid(),
  accountId: z.uuid(),
  usage: z.strictObject({
    measuredCostNano: amountNano,
    promptTokens: count,
    completionTokens: count,
    cachedTokens: count.exactOptional(),
    cacheWriteTokens: count.exactOptional(),
    reasoningTokens: count.exactOptional(),
    images: count.exactOptional(),
    route: z
      .strictObject({
        upstreamId: z.string(),
        upstreamModel: z.string(),
        costNano: amountNano.exactOptional(),
      })
      .exactOptional(),
    outcome: z.enum(USAGE_OUTCOMES),
    streamed: z.boolean(),
    estimated: z.boolean(),
    isUncounted: z.boolean().exactOptional(),
    latencyMs: count,
    firstTokenMs: count.exactOptional(),
  }),
});

/** Every job that exists. A job that runs by itself needs no payload: Postgres says what there is to do. */
export const JOBS = {
  /** Releases holds of gateways that stopped renewing their lease. */
  'sweep-holds': periodic(10_000),
  /** Deletes stored answers whose time to be replayed is over. */
  'purge-answers': periodic(600_000),
  /** Sums usage of hours that are over. */
  'sum-usage': periodic(MINUTE_MS),
  /** Deletes links, throttles and sessions that nobody can use any more, and what was noted of credentials long ago. */
  'purge-sign-ins': periodic(HOUR_MS),
  /** Resolves open reviews as FAREBOX_REVIEW_POLICY says. */
  'apply-review-policy': periodic(MINUTE_MS),
  /** Posts mails to those whose balance is below their threshold. */
  'find-low-balances': periodic(MINUTE_MS),
  /** Posts mails again whose jobs were lost, and deletes what became of old ones. */
  'tend-mails': periodic(300_000),
  /** Makes the invoices of closed months. */
  'issue-invoices': periodic(HOUR_MS),
  /** Compares the books with what they were made of, some of them each time. */
  'check-books': periodic(MINUTE_MS),
  /** Deletes request records that have had their time. */
  'purge-requests': periodic(HOUR_MS),
  /** Makes the partitions of the next months. */
  'make-partitions': periodic(HOUR_MS),
  /** Makes a review of a charge that could not be recorded. Its id is the hold's. */
  'reconcile-charge': { queue: 'farebox-charges', payload: failedCharge, retries: RETRIES_FOR_HOURS },
  /** Sends a mail that was posted. Its id is the mail's; what it says is in Postgres. */
  'send-mail': {
    queue: 'farebox-mail',
    payload: z.strictObject({ mailId: z.uuid() }),
    retries: RETRIES_FOR_HOURS,
  },
} as const satisfies Record<string, JobDefinition>;

export type JobName = keyof typeof JOBS;
export type JobPayload<Name extends JobName> = z.output<(typeof JOBS)[Name]['payload']>;

/** Jobs that run because somebody sent them. */
export type SentJobName = {
  [Name in JobName]: (typeof JOBS)[Name] extends { everyMs: number } ? never : Name;
}[JobName];

/** One delivery of a job. */
export interface Delivery {
  /** As the sender gave it; a job that is delivered again has the same. */
  id: string;
}

/** What does a job. It may run twice, and twice at once: its effect must be the same as of one run. */
export type JobHandlers = {
  [Name in JobName]: (payload: JobPayload<Name>, delivery: Delivery) => Promise<void>;
};

/** How many jobs that are done are kept, to be looked at. */
const KEPT_DONE = 100;
const KEPT_STACK_TRACES = 3;

/** What BullMQ is to know of a job. */
export function jobOptions({ queue, retries }: JobDefinition) {
  const { keptFailures } = QUEUES[queue];
  return {
    attempts: retries.attempts,
    // Which one is the worker's to say: the policy of the job's name.
    backoff: { type: 'policy' },
    removeOnComplete: { count: KEPT_DONE },
    removeOnFail: keptFailures === Infinity ? false : { count: keptFailures },
    stackTraceLimit: KEPT_STACK_TRACES,
  };
}

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}

export function isSentJobName(name: string): name is SentJobName {
  return isJobName(name) && !('everyMs' in JOBS[name]);
}

function periodic(everyMs: number) {
  return {
    queue: 'farebox',
    payload: z.strictObject({}),
    retries: RETRIES_FOR_SECONDS,
    everyMs,
  } as const satisfies JobDefinition;
}
