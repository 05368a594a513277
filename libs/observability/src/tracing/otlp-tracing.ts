import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { FAREBOX_VERSION } from '../version';
import { createOtlpTracer } from './otlp-tracer';
import type { Tracing, TracingConfig, TracingOptions } from './tracing';

/** A process that stops does not wait longer for a collector that does not answer. */
const CLOSE_BOUND_MS = 2_000;
const EXPORT_BOUND_MS = 10_000;
const MOST_WAITING_SPANS = 8_192;
const LONGEST_KEPT_BACK_MS = 1_000;

/** Tracing by OpenTelemetry's SDK. Nothing is registered globally, and no module is instrumented. */
export function openOtlpTracing(options: TracingOptions): Tracing {
  const exporter = tellingFailures(
    new OTLPTraceExporter({ url: options.tracesUrl, timeoutMillis: EXPORT_BOUND_MS }),
    options,
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': `farebox-${options.service}`,
      'service.version': FAREBOX_VERSION,
    }),
    sampler: samplerOf(options),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MOST_WAITING_SPANS,
        scheduledDelayMillis: LONGEST_KEPT_BACK_MS,
        exportTimeoutMillis: EXPORT_BOUND_MS,
      }),
    ],
  });
  return {
    tracer: createOtlpTracer(provider.getTracer('farebox'), options),
    close: () => within(CLOSE_BOUND_MS, provider.shutdown()),
  };
}

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}

/** The exporter, which says when it fails and when that is over; the SDK itself keeps silent about it. */
function tellingFailures(
  inner: SpanExporter,
  { onExportFailed, onExportRestored }: Pick<TracingOptions, 'onExportFailed' | 'onExportRestored'>,
): SpanExporter {
  let hasFailed = false;
  return {
    export(spans, done) {
      inner.export(spans, (result) => {
        if (result.error) onExportFailed(result.error);
        else if (hasFailed) onExportRestored();
        hasFailed = result.error !== undefined;
        done(result);
      });
    },
    shutdown: () => inner.shutdown(),
  };
}

async function within(boundMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, boundMs);
  });
  await Promise.race([work.catch(() => undefined), bound]);
  clearTimeout(timer);
}
