export { toErrorRecord, type ErrorRecord } from './error-record';
export type { LogField, LogFields } from './log-fields';
export {
  LOG_LEVELS,
  createLogger,
  type LogDestination,
  type LogLevel,
  type Logger,
  type LoggerOptions,
} from './logger';
export type { MetricDefinition, MetricWriter } from './metrics/definition';
export type { Counter, Gauge, Histogram } from './metrics/instruments';
export { LABELS, type LabelName, type LabelValue } from './metrics/labels';
export { createMetrics, type Metrics } from './metrics/metrics';
export { METRICS, type GaugeName, type MetricName } from './metrics/metric-table';
export { toMetricDollars } from './metrics/to-metric-dollars';
export { scrub } from './scrub';
export { FAREBOX_VERSION } from './version';
export { inSpan, NO_SPAN, NO_TRACER, type Span, type SpanKind, type Tracer } from './tracing/span';
export type { SpanAttributes } from './tracing/span-attributes';
export { quietTelemetry, type Telemetry } from './telemetry';
export { NO_TRACING, openTracing, type Tracing, type TracingConfig } from './tracing/tracing';
