import { TO_SECONDS } from './buckets';
import type { MetricDefinition } from './definition';

/** What every process says of itself, beside what prom-client measures of Node.js (`process_*`, `nodejs_*`). */
export const PROCESS_METRICS = {
  farebox_build_info: {
    type: 'gauge',
    help: 'Always 1; its labels say which code runs.',
    labels: ['version', 'node'],
    writers: ['gateway', 'account', 'worker'],
  },
  farebox_ready: {
    type: 'gauge',
    help: 'What /readyz says: 1 where the process can do its work now.',
    labels: [],
    writers: ['gateway', 'account', 'worker'],
  },
  farebox_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'How late the event loop was, asked 50 times a second. While it stands, nothing is answered.',
    labels: [],
    writers: ['gateway', 'account', 'worker'],
    buckets: TO_SECONDS,
  },
  farebox_event_loop_delay_max_seconds: {
    type: 'gauge',
    help: 'The longest delay of the event loop since the last scrape.',
    labels: [],
    writers: ['gateway', 'account', 'worker'],
  },
  farebox_metric_series_dropped_total: {
    type: 'counter',
    help: 'Time series that were not begun since their metric has too many: a label whose values are not closed.',
    labels: [],
    writers: ['gateway', 'account', 'worker'],
  },
  farebox_trace_exports_failed_total: {
    type: 'counter',
    help: 'Batches of trace spans that the collector did not take.',
    labels: [],
    writers: ['gateway', 'account', 'worker'],
  },
} as const satisfies Record<string, MetricDefinition>;
