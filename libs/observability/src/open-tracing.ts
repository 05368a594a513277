import type { Tracing, TracingOptions } from './tracing';

/** Loads the exporter, which nothing else does, and begins to record. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { openOtlpTracing } = await import('./otlp-tracing');
  return openOtlpTracing(options);
}
