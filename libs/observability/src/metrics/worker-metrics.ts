import { TO_MINUTES } from './buckets';
import type { MetricDefinition } from './definition';

/** What the worker reads from PostgreSQL. Every worker says the same: take the largest, never the sum. */
const BOOKS = {
  farebox_holds_open: {
    type: 'gauge',
    help: 'Holds under way in all gateways: money at risk now.',
    labels: [],
    writers: ['worker'],
  },
  farebox_holds_open_dollars: {
    type: 'gauge',
    help: 'US dollars held. A float, for graphs and alerts alone: the ledger is the truth.',
    labels: [],
    writers: ['worker'],
  },
  farebox_hold_oldest_age_seconds: {
    type: 'gauge',
    help: 'Age of the oldest hold under way, 0 where there is none.',
    labels: [],
    writers: ['worker'],
  },
  farebox_reviews_open: {
    type: 'gauge',
    help: 'Billing reviews that are not resolved.',
    labels: ['reason'],
    writers: ['worker'],
  },
  farebox_gateway_leases: {
    type: 'gauge',
    help: 'Gateways that are known, by whether their lease is live.',
    labels: ['lease_state'],
    writers: ['worker'],
  },
  farebox_books_differences: {
    type: 'gauge',
    help: 'Differences that the last check of the books found. Anything but 0 is an error of the service.',
    labels: [],
    writers: ['worker'],
  },
  farebox_books_checked_timestamp_seconds: {
    type: 'gauge',
    help: 'When the books were last checked to the end, in Unix seconds.',
    labels: [],
    writers: ['worker'],
  },
  farebox_partitions_end_timestamp_seconds: {
    type: 'gauge',
    help: 'Until when the tables that grow have partitions, in Unix seconds.',
    labels: [],
    writers: ['worker'],
  },
  farebox_partitions_beyond_rows: {
    type: 'gauge',
    help: 'Rows whose ids are later than all partitions, up to 1,000.',
    labels: [],
    writers: ['worker'],
  },
} as const satisfies Record<string, MetricDefinition>;

const QUEUES = {
  farebox_queue_jobs: {
    type: 'gauge',
    help: 'Jobs of a queue. Every worker says the same.',
    labels: ['queue', 'job_state'],
    writers: ['worker'],
  },
  farebox_queue_oldest_waiting_seconds: {
    type: 'gauge',
    help: 'Age of the oldest job that waits to be taken, 0 where none waits. Every worker says the same.',
    labels: ['queue'],
    writers: ['worker'],
  },
  farebox_outbox_rows: {
    type: 'gauge',
    help: 'Jobs and mails that were committed and are not yet in their queue. Every worker says the same.',
    labels: [],
    writers: ['worker'],
  },
  farebox_outbox_oldest_seconds: {
    type: 'gauge',
    help: 'Age of the oldest of them, 0 where there is none. Every worker says the same.',
    labels: [],
    writers: ['worker'],
  },
  farebox_job_duration_seconds: {
    type: 'histogram',
    help: 'Runs of jobs in this process. One that failed is tried again.',
    labels: ['job_name', 'job_result'],
    writers: ['worker'],
    buckets: TO_MINUTES,
  },
} as const satisfies Record<string, MetricDefinition>;

/** What a worker measures. */
export const WORKER_METRICS = { ...BOOKS, ...QUEUES } as const satisfies Record<string, MetricDefinition>;
