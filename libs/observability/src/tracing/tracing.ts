import { NO_TRACER, type Tracer } from './span';

/** Which traces are recorded, as OTEL_TRACES_SAMPLER names it. */
type TraceSampler =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

export interface TracingConfig {
  /** Where spans are sent, by OTLP over HTTP: `http://127.0.0.1:4318/v1/traces`. */
  tracesUrl: string;
  sampler: TraceSampler;
  /** From 0 to 1. */
  ratio: number;
  /** Whether whoever asks may name the trace that his request belongs to. */
  continuesTraces: boolean;
}

export interface TracingOptions extends TracingConfig {
  /** `gateway`. */
  service: string;
  /** The collector did not take some spans. They are lost. */
  onExportFailed: (error: unknown) => void;
  /** The collector takes spans again. */
  onExportRestored: () => void;
}

export interface Tracing {
  tracer: Tracer;
  /** Sends what is left, no longer than a moment. Never rejects. */
  close(): Promise<void>;
}

export const NO_TRACING: Tracing = { tracer: NO_TRACER, close: () => Promise.resolve() };

/** Loads the exporter, which nothing else does, and begins to record. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { openOtlpTracing } = await import('./otlp-tracing');
  return openOtlpTracing(options);
}
