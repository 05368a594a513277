import type { LabelName, LabelValues } from './metric-labels';

/** The processes that export a metric. */
type MetricWriter = 'gateway' | 'account' | 'worker' | 'operator';

/** The static description of a metric. Base units: seconds, bytes, dollars. */
export interface MetricDefinition {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly LabelName[];
  writers: readonly MetricWriter[];
  /** Upper bounds of a histogram's buckets, ascending. */
  buckets?: readonly number[];
}

/** Seconds, for operations of milliseconds, such as a call to PostgreSQL. */
export const TO_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** Seconds, for operations as long as a model's response. */
const TO_MINUTES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

/** Items per batch. */
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

const every = writtenBy('gateway', 'account', 'worker', 'operator');
/** Every service with an API. */
const service = writtenBy('gateway', 'account', 'operator');
const gateway = writtenBy('gateway');
/** Every worker reads the same values from PostgreSQL and the queues: take the maximum, never the sum. */
const worker = writtenBy('worker');

/**
 * Every metric of Farebox itself. Tests compare docs/operate/observability.md, the dashboard and the alerts
 * with this table.
 */
export const METRICS = {
  // For every process, in addition to the Node.js metrics of prom-client (`process_*`, `nodejs_*`).
  farebox_build_info: every.gauge('Always 1; its labels say which code runs.', 'version', 'node'),
  farebox_ready: every.gauge('The result of /readyz: 1 while the process can do its work.'),
  farebox_event_loop_delay_seconds: every.histogram(
    TO_SECONDS,
    'Delay of the event loop, sampled 50 times a second. While it is blocked, nothing is answered.',
  ),
  farebox_event_loop_delay_max_seconds: every.gauge(
    'The longest delay of the event loop since the last scrape.',
  ),
  farebox_metric_series_dropped_total: every.counter(
    'Time series refused because their metric has too many: a label has unbounded values.',
  ),
  farebox_trace_exports_failed_total: every.counter(
    'Batches of trace spans that the collector did not accept.',
  ),

  farebox_http_request_duration_seconds: service.histogram(
    TO_MINUTES,
    'From the request to the end of its response, by the outcome that the client saw. Health checks are not counted.',
    'method',
    'route',
    'code',
  ),
  farebox_http_requests_running: service.gauge('Requests whose response has not ended.'),
  farebox_draining: service.gauge('1 once the process was asked to stop.'),

  // Counted when the charge is recorded: released holds and open reviews are in none of these.
  farebox_charged_dollars_total: gateway.counter(
    'US dollars charged. A float, only for graphs and alerts: the ledger is the truth.',
    'model',
  ),
  farebox_charges_total: gateway.counter('Charges recorded, by how the request ended.', 'model', 'outcome'),
  farebox_charges_unrecorded_total: gateway.counter(
    'Charges that could not be recorded when the response was ready: each becomes a review.',
  ),
  farebox_abandoned_requests_total: gateway.counter(
    'Requests whose client left before the end, so that nobody paid for some or all of the work of the upstream.',
    'model',
  ),
  farebox_abandoned_cost_dollars_total: gateway.counter(
    "The operator's own cost of those requests in US dollars, as far as it is known. A float, only for graphs and alerts: the ledger is the truth.",
    'model',
  ),
  farebox_uncharged_requests_total: gateway.counter(
    'Requests that were refused or failed and cost nothing, by whether they are kept for the account to see.',
    'note_result',
  ),
  farebox_tokens_total: gateway.counter('Tokens charged.', 'model', 'direction'),
  farebox_first_token_seconds: gateway.histogram(
    TO_MINUTES,
    'From the request to the first text of a streamed response.',
    'model',
  ),

  farebox_upstream_calls_total: gateway.counter(
    'Finished calls to a model of an upstream, by result. Calls skipped by the breaker were not sent.',
    'upstream',
    'upstream_model',
    'result',
  ),
  farebox_upstream_circuit_open: gateway.gauge(
    '1 while a model of an upstream is skipped after failures, until a probe succeeds.',
    'upstream',
    'upstream_model',
  ),

  farebox_ledger_batch_items: gateway.histogram(
    COUNTS,
    'Holds, charges and releases that went to PostgreSQL in one call.',
  ),
  farebox_ledger_batch_duration_seconds: gateway.histogram(TO_SECONDS, 'Duration of a call to the ledger.'),
  farebox_ledger_batch_wait_seconds: gateway.histogram(
    TO_SECONDS,
    'How long the oldest item of a call had waited when the call was sent.',
  ),
  farebox_ledger_contended_total: gateway.counter(
    'Holds, charges and releases postponed to a later call because something else had locked their account.',
  ),
  farebox_ledger_connected: gateway.gauge(
    "1 while the ledger can be reached and this gateway's lease is live.",
  ),
  farebox_lease_failures_total: gateway.counter("Failed renewals of this gateway's lease."),

  farebox_token_counts_total: gateway.counter(
    'Token counts by the gateway itself, by result: all but "counted" fell back to bytes.',
    'count_result',
  ),
  farebox_token_count_duration_seconds: gateway.histogram(
    TO_SECONDS,
    'From the request for a token count to its end, including the wait for others.',
  ),

  farebox_limiter_stand_in: gateway.gauge(
    '1 while this process enforces the request limit alone, because Redis is unavailable or not configured.',
  ),
  farebox_limiter_memory_lost_total: gateway.counter('How often Redis had lost the requests of the window.'),
  farebox_request_bodies_bytes: gateway.gauge(
    'Bytes of request bodies in this process, out of FAREBOX_MEMORY_FOR_BODIES.',
  ),
  farebox_unwritten_responses_bytes: gateway.gauge(
    'Bytes of responses that clients have not read yet, out of FAREBOX_MEMORY_FOR_RESPONSES.',
  ),
  farebox_responses_cut_total: gateway.counter(
    'Responses cut to make room for others because their account had most of the unread bytes.',
  ),
  farebox_catalog_version: gateway.gauge('The version of the catalogue in use.'),

  farebox_holds_open: worker.gauge('Open holds in all gateways: money at risk now.'),
  farebox_holds_open_dollars: worker.gauge(
    'US dollars held. A float, only for graphs and alerts: the ledger is the truth.',
  ),
  farebox_hold_oldest_age_seconds: worker.gauge('Age of the oldest open hold, 0 if there is none.'),
  farebox_reviews_open: worker.gauge('Billing reviews that are not resolved.', 'reason'),
  farebox_gateway_leases: worker.gauge('Known gateways, by whether their lease is live.', 'lease_state'),
  farebox_books_differences: worker.gauge(
    'Differences that the last check of the books found. Anything but 0 is an error of the service.',
  ),
  farebox_books_checked_timestamp_seconds: worker.gauge(
    'When the last complete check of the books ended, in Unix seconds.',
  ),
  farebox_partitions_end_timestamp_seconds: worker.gauge(
    'End of the last partition of the growing tables, in Unix seconds.',
  ),
  farebox_partitions_beyond_rows: worker.gauge('Rows whose ids are later than all partitions, up to 1,000.'),
  farebox_scheduled_catalog_refused: worker.gauge(
    '1 if the last scheduled version of the catalogue was refused, and nobody has dealt with it.',
  ),
  farebox_webhooks_disabled: worker.gauge(
    'Webhooks of the operators that were disabled because nothing could be delivered.',
  ),

  farebox_queue_jobs: worker.gauge(
    'Jobs of a queue. Every worker reports the same value.',
    'queue',
    'job_state',
  ),
  farebox_queue_oldest_waiting_seconds: worker.gauge(
    'Age of the oldest waiting job, 0 if none waits. Every worker reports the same value.',
    'queue',
  ),
  farebox_outbox_rows: worker.gauge(
    'Jobs and mails that were committed and are not yet in their queue. Every worker reports the same value.',
  ),
  farebox_outbox_oldest_seconds: worker.gauge(
    'Age of the oldest of them, 0 if there is none. Every worker reports the same value.',
  ),
  farebox_payment_oldest_seconds: worker.gauge(
    'Age of the oldest card payment event that is not applied, 0 if there is none. Every worker reports the same value.',
  ),
  farebox_overlong_sessions_total: worker.counter(
    'Database sessions of services that this worker has ended because a statement, transaction or lock of theirs was too old.',
    'login_of',
  ),
  farebox_job_duration_seconds: worker.histogram(
    TO_MINUTES,
    'Runs of jobs in this process. A failed run is retried.',
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

/** The values of a metric's labels, in the order of the metric. */
export type LabelsOf<Name extends MetricName> = LabelValues<(typeof METRICS)[Name]['labels']>;
