import { within } from '@farebox/flow';
import {
  type Context,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  type SpanContext,
  SpanKind as OtelKind,
  SpanStatusCode,
  trace,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import {
  FAREBOX_VERSION,
  type Span,
  type SpanAttributes,
  type SpanKind,
  toExportedAttributes,
  type Tracer,
  type Tracing,
  type TracingConfig,
  type TracingOptions,
} from './tracing';

/** How long a stopping process waits for an unresponsive collector. */
const CLOSE_BOUND_MS = 2_000;
const EXPORT_BOUND_MS = 10_000;
const MOST_WAITING_SPANS = 8_192;
const LONGEST_KEPT_BACK_MS = 1_000;

/** Tracing with OpenTelemetry's SDK. Registers nothing globally and instruments no module. */
export function openOtlpTracing(options: TracingOptions): Tracing {
  const exporter = reportingFailures(
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
    close: () => within(CLOSE_BOUND_MS, provider.shutdown()).catch(() => undefined),
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

/** Wraps the exporter to report failures and recoveries; the SDK itself is silent about them. */
function reportingFailures(
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

const KINDS: Record<SpanKind, OtelKind> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  consumer: OtelKind.CONSUMER,
  internal: OtelKind.INTERNAL,
};

/** Spans name their parent explicitly: nothing is derived from the call stack. */
function createOtlpTracer(tracer: OtelTracer, { continuesTraces }: { continuesTraces: boolean }): Tracer {
  function begin(name: string, kind: SpanKind, parent: Context, attributes: SpanAttributes = {}): Span {
    const options = { kind: KINDS[kind], attributes: toExportedAttributes(attributes) };
    const span = tracer.startSpan(name, options, parent);
    return toSpan(span, (childName, childKind, childAttributes) =>
      begin(childName, childKind, trace.setSpan(parent, span), childAttributes),
    );
  }

  return {
    start(name, kind, attributes, traceparent) {
      const remote = continuesTraces && traceparent !== undefined ? readTraceparent(traceparent) : undefined;
      const parent = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
      return begin(name, kind, parent, attributes);
    },
  };
}

function toSpan(span: OtelSpan, child: Span['child']): Span {
  return {
    isRecording: span.isRecording(),
    rename: (name) => {
      span.updateName(name);
    },
    set: (attributes) => {
      span.setAttributes(toExportedAttributes(attributes));
    },
    child,
    end: (errorType, endedAt) => {
      if (errorType !== undefined) {
        span.setAttributes(toExportedAttributes({ 'error.type': errorType }));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end(endedAt);
    },
  };
}

/** Version, trace, span and flags. A later version may append more. Source: W3C Trace Context, 3.2. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const NOTHING = /^0+$/;

/** The span in a `traceparent` header; undefined if the header is not valid. */
export function readTraceparent(header: string): SpanContext | undefined {
  const [whole, version, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(header) ?? [];
  if (whole === undefined || NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  if (version === '00' && header.length !== whole.length) return undefined;
  // Version 0 defines only the lowest flag: whether the trace is recorded.
  return { traceId, spanId, traceFlags: parseInt(flags, 16) & 1, isRemote: true };
}
