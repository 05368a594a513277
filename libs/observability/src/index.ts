export type { Counter, Histogram } from './instruments';
export { createLogger, type Logger, type LogLevel } from './logger';
export type { LabelValue } from './metric-labels';
export { METRICS, type GaugeName, type MetricDefinition } from './metric-table';
export { createMetrics, toMetricDollars, type Metrics } from './metrics';
export {
  FAREBOX_VERSION,
  inSpan,
  NO_SPAN,
  NO_TRACER,
  NO_TRACING,
  quietTelemetry,
  type Span,
  type SpanAttributes,
  type Telemetry,
  type Tracer,
  type Tracing,
} from './tracing';
export { openTracing } from './open-tracing';
