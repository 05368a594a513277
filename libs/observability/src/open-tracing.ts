import type { Tracing, TracingOptions } from './tracing';

/** Loads the exporter, which is imported nowhere else, and starts recording. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { openOtlpTracing } = await import('./otlp-tracing');
  return openOtlpTracing(options);
}
