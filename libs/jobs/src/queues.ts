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
