import type { MetricDefinition } from './definition';
import { TO_MINUTES } from './buckets';

/** What every service measures that answers customers. */
export const HTTP_METRICS = {
  farebox_http_request_duration_seconds: {
    type: 'histogram',
    help: 'From the request to the end of its answer, by what the client was told. Health checks are not counted.',
    labels: ['method', 'route', 'code'],
    writers: ['gateway', 'account'],
    buckets: TO_MINUTES,
  },
  farebox_http_requests_running: {
    type: 'gauge',
    help: 'Requests whose answer is not over.',
    labels: [],
    writers: ['gateway', 'account'],
  },
  farebox_draining: {
    type: 'gauge',
    help: '1 from the moment when the process was asked to stop.',
    labels: [],
    writers: ['gateway', 'account'],
  },
} as const satisfies Record<string, MetricDefinition>;
