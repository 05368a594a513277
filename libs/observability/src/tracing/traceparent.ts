import type { SpanContext } from '@opentelemetry/api';

/** Version, trace, span and flags. A later version may have more behind it. Source: W3C Trace Context, 3.2. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const NOTHING = /^0+$/;

/** The span that a `traceparent` header names; undefined where it names none. */
export function readTraceparent(header: string): SpanContext | undefined {
  const [whole, version, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(header) ?? [];
  if (whole === undefined || NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  if (version === '00' && header.length !== whole.length) return undefined;
  // Of the flags, version 0 knows the lowest alone: whether the trace is recorded.
  return { traceId, spanId, traceFlags: parseInt(flags, 16) & 1, isRemote: true };
}
