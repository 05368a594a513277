import { USAGE_OUTCOMES } from '@farebox/errors';
import { HOUR_MS, MINUTE_MS } from '@farebox/flow';
import { byTokenKind, type NanoUsd } from '@farebox/money';
import { z } from 'zod';

/** The queues. Jobs of one queue do not wait for those of another. `npm run migrate` prepares them. */
export const QUEUES = {
  /** Periodic jobs. They run again anyway, so old failures are kept only for inspection. */
  farebox: { concurrency: 4, keptFailures: 1_000 },
  /** Charges that a gateway could not record. A failure is kept until an operator has handled it. */
  'farebox-charges': { concurrency: 4, keptFailures: Infinity },
  /** Mails. A failure is kept until an operator has handled it. */
  'farebox-mail': { concurrency: 2, keptFailures: Infinity },
} as const satisfies Record<string, { concurrency: number; keptFailures: number }>;

export type QueueName = keyof typeof QUEUES;

export const QUEUE_NAMES = Object.keys(QUEUES) as readonly QueueName[];

/** The number of attempts of a job, and the pauses between them. */
export interface RetryPolicy {
  /** Including the first. After the last one, the job is a dead letter. */
  attempts: number;
  firstPauseMs: number;
  /** Pauses double up to this. */
  longestPauseMs: number;
}

/** For jobs that soon recur anyway. */
export const RETRIES_FOR_SECONDS: RetryPolicy = { attempts: 5, firstPauseMs: 1_000, longestPauseMs: 60_000 };

/** For jobs that must not be lost: about eight hours, so that an overnight outage heals by itself. */
export const RETRIES_FOR_HOURS: RetryPolicy = { attempts: 40, firstPauseMs: 5_000, longestPauseMs: 900_000 };

/** The pause after `failures` failures, at least one. */
export function pauseMs({ firstPauseMs, longestPauseMs }: RetryPolicy, failures: number): number {
  return Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
}

/** The definition of a job: its queue, payload, retries and period. */
export interface JobDefinition {
  queue: QueueName;
  /** A codec: its input is written into the queue, its output goes to the handler. */
  payload: z.ZodType;
  retries: RetryPolicy;
  /** The period of a periodic job. Other jobs are sent. */
  everyMs?: number;
}

const count = z.int().min(0);

/** A decimal string in the queue, a bigint everywhere else. */
const amountNano = z.codec(
  z.string().regex(/^\d{1,19}$/),
  z.custom<NanoUsd>((value) => typeof value === 'bigint'),
  { decode: (text) => BigInt(text) as NanoUsd, encode: String },
);

/**
 * A charge that a gateway could not record: the hold and the measured usage of its request. The shape is
 * closed, so that no prompt or response can get into a queue.
 */
const failedCharge = z.strictObject({
  holdId: z.uuid(),
  accountId: z.uuid(),
  usage: z.strictObject({
    measuredCostNano: amountNano,
    promptTokens: count,
    completionTokens: count,
    ...byTokenKind(() => count.exactOptional()),
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

/** Every job that exists. Periodic jobs need no payload: PostgreSQL has their work. */
export const JOBS = {
  /** Releases holds of gateways that stopped renewing their lease. */
  'sweep-holds': periodic(10_000),
  /** Deletes stored responses whose replay time is over. */
  'purge-answers': periodic(600_000),
  /** Applies a catalogue whose time has come. */
  'apply-scheduled-catalog': periodic(10_000),
  /** Sums the usage of past hours. */
  'sum-usage': periodic(MINUTE_MS),
  /** Deletes links, throttles and sessions that can no longer be used, and old credential events. */
  'purge-sign-ins': periodic(HOUR_MS),
  /** Resolves open reviews according to FAREBOX_REVIEW_POLICY. */
  'apply-review-policy': periodic(MINUTE_MS),
  /** Posts mails to customers whose balance is below their threshold, and webhooks about limits of keys. */
  'find-low-balances': periodic(MINUTE_MS),
  /** Posts mails again whose jobs were lost, and deletes the records of old ones. */
  'tend-mails': periodic(300_000),
  /** Issues the invoices of closed months. */
  'issue-invoices': periodic(HOUR_MS),
  /** Compares the books with their sources, a part each time. */
  'check-books': periodic(MINUTE_MS),
  /** Gives the days that are over their Merkle roots, a part each time. */
  'close-days': periodic(300_000),
  /** Deletes request records and events of webhooks past their retention. */
  'purge-requests': periodic(HOUR_MS),
  /** Ends database sessions of services that run for too long. */
  'end-overlong-sessions': periodic(MINUTE_MS),
  /** Creates the partitions of the next months. */
  'make-partitions': periodic(HOUR_MS),
  /** Opens a review of a charge that could not be recorded. The job id is the hold's id. */
  'reconcile-charge': { queue: 'farebox-charges', payload: failedCharge, retries: RETRIES_FOR_HOURS },
  /** Sends a posted mail. The job id is the mail's id; its content is in PostgreSQL. */
  'send-mail': {
    queue: 'farebox-mail',
    payload: z.strictObject({ mailId: z.uuid() }),
    retries: RETRIES_FOR_HOURS,
  },
} as const satisfies Record<string, JobDefinition>;

export type JobName = keyof typeof JOBS;
export type JobPayload<Name extends JobName> = z.output<(typeof JOBS)[Name]['payload']>;

/** Jobs that run because they were sent. */
export type SentJobName = {
  [Name in JobName]: (typeof JOBS)[Name] extends { everyMs: number } ? never : Name;
}[JobName];

/** One delivery of a job. */
export interface Delivery {
  /** The sender's id; a redelivered job keeps it. */
  id: string;
}

/** The handler of each job. It may run twice, even concurrently, so it must be idempotent. */
export type JobHandlers = {
  [Name in JobName]: (payload: JobPayload<Name>, delivery: Delivery) => Promise<void>;
};

/** Finished jobs kept for inspection. */
const KEPT_DONE = 100;
const KEPT_STACK_TRACES = 3;

/** BullMQ's options of a job. */
export function jobOptions({ queue, retries }: JobDefinition) {
  const { keptFailures } = QUEUES[queue];
  return {
    attempts: retries.attempts,
    // The worker resolves it to the retry policy of the job's name.
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
  return isJobName(name) && !isPeriodicJobName(name);
}

/** Whether the job has a schedule. */
export function isPeriodicJobName(name: string): boolean {
  return isJobName(name) && 'everyMs' in JOBS[name];
}

function periodic(everyMs: number) {
  return {
    queue: 'farebox',
    payload: z.strictObject({}),
    retries: RETRIES_FOR_SECONDS,
    everyMs,
  } as const satisfies JobDefinition;
}
