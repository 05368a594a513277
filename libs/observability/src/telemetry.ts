import { createMetrics, type Metrics } from './metrics/metrics';
import { NO_TRACER, type Tracer } from './tracing/span';

/** What a process measures and traces with. */
export interface Telemetry {
  metrics: Metrics;
  tracer: Tracer;
}

/** One that nobody looks at. */
export function quietTelemetry(): Telemetry {
  return { metrics: createMetrics({ measuresNode: false }), tracer: NO_TRACER };
}
