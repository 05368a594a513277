import {
  ROOT_CONTEXT,
  SpanKind as OtelKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import type { Span, SpanKind, Tracer } from './span';
import { toExportedAttributes, type SpanAttributes } from './span-attributes';
import { readTraceparent } from './traceparent';

const KINDS: Record<SpanKind, OtelKind> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  consumer: OtelKind.CONSUMER,
  internal: OtelKind.INTERNAL,
};

/** Spans that name their parent themselves: nothing is found out from the call stack. */
export function createOtlpTracer(
  tracer: OtelTracer,
  { continuesTraces }: { continuesTraces: boolean },
): Tracer {
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
    end: (errorType) => {
      if (errorType !== undefined) {
        span.setAttributes(toExportedAttributes({ 'error.type': errorType }));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}
