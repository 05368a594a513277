import type { LabelName, LabelValues } from './metric-labels';

/** The processes that write a metric. */
type MetricWriter = 'gateway' | 'account' | 'worker';

/** What is known of a metric before anything was measured. Base units: seconds, bytes, dollars. */
export interface MetricDefinition {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly LabelName[];
  writers: readonly MetricWriter[];
  /** Upper bounds of a histogram's buckets, growing. */
  buckets?: readonly number[];
}

/** Seconds, for what should take milliseconds: a call to PostgreSQL. */
export const TO_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** Seconds, for what may take as long as a model does. */
const TO_MINUTES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

/** How many at once. */
const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const;

/** The columns of the tables below: help, labels, and a histogram's buckets. */
function writtenBy(...writers: MetricWriter[]) {
  return {
    counter: <const Labels extends readonly LabelName[]>(help: string, ...labels: Labels) =>
      ({ type: 'counter', help, labels, writers }) as const,
    gauge: <const Labels extends readonly LabelName[]>(help: string, ...labels: Labels) =>
      ({ type: 'gauge', help, labels, writers }) as const,
    histogram: <const Labels extends readonly LabelName[]>(
      buckets: readonly number[],
      help: string,
      ...labels: Labels
    ) => ({ type: 'histogram', help, labels, writers, buckets }) as const,
  };
}

const every = writtenBy('gateway', 'account', 'worker');
/** Every service that answers customers. */
const service = writtenBy('gateway', 'account');
const gateway = writtenBy('gateway');
/** What it reads from PostgreSQL and the queues, every worker reads alike: take the largest, never the sum. */
const worker = writtenBy('worker');

/** Every metric of Farebox's own. docs/operate/observability.md, the dashboard and the alerts are held against this table. */
export const METRICS = {
  // Of every process, beside what prom-client measures of Node.js (`process_*`, `nodejs_*`).
  farebox_build_info: every.gauge('Always 1; its labels say which code runs.', 'version', 'node'),
  farebox_ready: every.gauge('What /readyz says: 1 where the process can do its work now.'),
  farebox_event_loop_delay_seconds: every.histogram(
    TO_SECONDS,
    'How late the event loop was, asked 50 times a second. While it stands, nothing is answered.',
  ),
  farebox_event_loop_delay_max_seconds: every.gauge(
    'The longest delay of the event loop since the last scrape.',
  ),
  farebox_metric_series_dropped_total: every.counter(
    'Time series that were not begun since their metric has too many: a label whose values are not closed.',
  ),
  farebox_trace_exports_failed_total: every.counter(
    'Batches of trace spans that the collector did not take.',
  ),

  farebox_http_request_duration_seconds: service.histogram(
    TO_MINUTES,
    'From the request to the end of its answer, by what the client was told. Health checks are not counted.',
    'method',
    'route',
    'code',
  ),
  farebox_http_requests_running: service.gauge('Requests whose answer is not over.'),
  farebox_draining: service.gauge('1 from the moment when the process was asked to stop.'),

  // Counted when the charge is recorded: what was released or went into review is in none of these.
  farebox_charged_dollars_total: gateway.counter(
    'US dollars charged. A float, for graphs and alerts alone: the ledger is the truth.',
    'model',
  ),
  farebox_charges_total: gateway.counter('Charges recorded, by how the request ended.', 'model', 'outcome'),
  farebox_charges_unrecorded_total: gateway.counter(
    'Charges that could not be recorded when the answer was ready: each becomes a review.',
  ),
  farebox_abandoned_requests_total: gateway.counter(
    'Requests whose client left before their end, so that nobody paid for some or all of what the upstream did.',
    'model',
  ),
  farebox_abandoned_cost_dollars_total: gateway.counter(
    'US dollars that this cost whoever runs the service, as far as is known. A float, for graphs and alerts alone: the ledger is the truth.',
    'model',
  ),
  farebox_uncharged_requests_total: gateway.counter(
    'Requests that were refused or failed and cost nothing, by whether they are kept for their account to see.',
    'note_result',
  ),
  farebox_tokens_total: gateway.counter('Tokens charged.', 'model', 'direction'),
  farebox_first_token_seconds: gateway.histogram(
    TO_MINUTES,
    'From the request to the first text of a streamed answer.',
    'model',
  ),

  farebox_upstream_calls_total: gateway.counter(
    'Calls to a model of an upstream that are over, by how. Those left alone by the breaker were not sent.',
    'upstream',
    'upstream_model',
    'result',
  ),
  farebox_upstream_circuit_open: gateway.gauge(
    '1 while a model of an upstream is left alone after failures, until a probe is answered.',
    'upstream',
    'upstream_model',
  ),

  farebox_ledger_batch_items: gateway.histogram(
    COUNTS,
    'Holds, charges and releases that went to PostgreSQL in one call.',
  ),
  farebox_ledger_batch_duration_seconds: gateway.histogram(
    TO_SECONDS,
    'From the leaving of a call of the ledger to its answer.',
  ),
  farebox_ledger_batch_wait_seconds: gateway.histogram(
    TO_SECONDS,
    'How long the item of a call that waited longest had waited when the call left.',
  ),
  farebox_ledger_contended_total: gateway.counter(
    'Holds, charges and releases that a call left for later: something else had locked their account.',
  ),
  farebox_ledger_connected: gateway.gauge(
    "1 while the ledger can be asked and this gateway's lease is live.",
  ),
  farebox_lease_failures_total: gateway.counter("Renewals of this gateway's lease that failed."),

  farebox_token_counts_total: gateway.counter(
    'Counts of tokens by the gateway itself, by how they ended: all others than "counted" went by bytes.',
    'count_result',
  ),
  farebox_token_count_duration_seconds: gateway.histogram(
    TO_SECONDS,
    'From the asking for a count of tokens to its end, the turns of others included.',
  ),

  farebox_limiter_stand_in: gateway.gauge(
    '1 while the request limit is held by this process alone, since Redis cannot or is not set.',
  ),
  farebox_limiter_memory_lost_total: gateway.counter(
    'How often Redis had forgotten the requests of the window.',
  ),
  farebox_request_bodies_bytes: gateway.gauge(
    'Bytes of the request bodies that this process has, of FAREBOX_MEMORY_FOR_BODIES.',
  ),
  farebox_unwritten_responses_bytes: gateway.gauge(
    'Bytes of the responses that clients have not taken yet, of FAREBOX_MEMORY_FOR_RESPONSES.',
  ),
  farebox_responses_cut_total: gateway.counter(
    'Responses that were cut to make room for others, since their account had most of what was unread.',
  ),
  farebox_catalog_version: gateway.gauge('The version of the catalogue that is served.'),

  farebox_holds_open: worker.gauge('Holds under way in all gateways: money at risk now.'),
  farebox_holds_open_dollars: worker.gauge(
    'US dollars held. A float, for graphs and alerts alone: the ledger is the truth.',
  ),
  farebox_hold_oldest_age_seconds: worker.gauge('Age of the oldest hold under way, 0 where there is none.'),
  farebox_reviews_open: worker.gauge('Billing reviews that are not resolved.', 'reason'),
  farebox_gateway_leases: worker.gauge(
    'Gateways that are known, by whether their lease is live.',
    'lease_state',
  ),
  farebox_books_differences: worker.gauge(
    'Differences that the last check of the books found. Anything but 0 is an error of the service.',
  ),
  farebox_books_checked_timestamp_seconds: worker.gauge(
    'When the books were last checked to the end, in Unix seconds.',
  ),
  farebox_partitions_end_timestamp_seconds: worker.gauge(
    'Until when the tables that grow have partitions, in Unix seconds.',
  ),
  farebox_partitions_beyond_rows: worker.gauge('Rows whose ids are later than all partitions, up to 1,000.'),

  farebox_queue_jobs: worker.gauge('Jobs of a queue. Every worker says the same.', 'queue', 'job_state'),
  farebox_queue_oldest_waiting_seconds: worker.gauge(
    'Age of the oldest job that waits to be taken, 0 where none waits. Every worker says the same.',
    'queue',
  ),
  farebox_outbox_rows: worker.gauge(
    'Jobs and mails that were committed and are not yet in their queue. Every worker says the same.',
  ),
  farebox_outbox_oldest_seconds: worker.gauge(
    'Age of the oldest of them, 0 where there is none. Every worker says the same.',
  ),
  farebox_payment_oldest_seconds: worker.gauge(
    'Age of the oldest event of a card payment that is not applied, 0 where there is none. Every worker says the same.',
  ),
  farebox_job_duration_seconds: worker.histogram(
    TO_MINUTES,
    'Runs of jobs in this process. One that failed is tried again.',
    'job_name',
    'job_result',
  ),
} as const satisfies Record<string, MetricDefinition>;

type MetricName = keyof typeof METRICS;

type NameOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

export type CounterName = NameOf<'counter'>;
export type GaugeName = NameOf<'gauge'>;
export type HistogramName = NameOf<'histogram'>;

/** The values of the labels of a metric, in its order. */
export type LabelsOf<Name extends MetricName> = LabelValues<(typeof METRICS)[Name]['labels']>;
