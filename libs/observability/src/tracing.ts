import { createMetrics, type Metrics } from './metrics';
import { scrub } from './scrub';

/**
 * Everything that a span may carry, and of what kind: like the fields of the log, a closed set, so that no header,
 * prompt or secret comes into a trace by accident. Of a customer there is the id of their request, and nothing else.
 */
const SPAN_ATTRIBUTES = {
  'http.request.method': 'string',
  'http.route': 'string',
  'http.response.status_code': 'number',
  /** A public error code, or the kind of an upstream's failure. */
  'error.type': 'string',
  'farebox.request_id': 'string',
  'farebox.model': 'string',
  'farebox.upstream': 'string',
  'farebox.upstream_model': 'string',
  'farebox.streamed': 'boolean',
  'farebox.outcome': 'string',
  'farebox.prompt_tokens': 'number',
  'farebox.completion_tokens': 'number',
  'farebox.first_token_ms': 'number',
  'farebox.queue': 'string',
  'farebox.job': 'string',
  'farebox.job_id': 'string',
} as const satisfies Record<string, 'string' | 'number' | 'boolean'>;

interface Kinds {
  string: string;
  number: number;
  boolean: boolean;
}

export type SpanAttributes = {
  readonly [Name in keyof typeof SPAN_ATTRIBUTES]?: Kinds[(typeof SPAN_ATTRIBUTES)[Name]] | undefined;
};

const LONGEST_TEXT = 256;
/** A map, not an object: `constructor` and `__proto__` must not be found. */
const ATTRIBUTE_KINDS = new Map<string, string>(Object.entries(SPAN_ATTRIBUTES));

/** The attributes that may be exported, as they are exported. All else is left out. */
export function toExportedAttributes(attributes: SpanAttributes): Record<string, string | number | boolean> {
  const exported: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || typeof value !== ATTRIBUTE_KINDS.get(name)) continue;
    exported[name] = typeof value === 'string' ? scrub(value, LONGEST_TEXT) : value;
  }
  return exported;
}

/** Who speaks: `server` answers, `client` asks another service, `consumer` does a job, `internal` is a part of those. */
export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

/** A piece of work as a trace shows it. If nothing is traced, all of this does nothing. */
export interface Span {
  /** Whether anybody will see it: what only a trace needs may be left out if not. */
  readonly isRecording: boolean;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** A part of this piece of work. */
  child(name: string, kind: SpanKind, attributes?: SpanAttributes): Span;
  /** Once. `errorType`: it failed, by what: a word of a closed set. */
  end(errorType?: string): void;
}

export interface Tracer {
  /** `traceparent`: the header of whoever asked. It is followed only if the operator wants that. */
  start(name: string, kind: SpanKind, attributes?: SpanAttributes, traceparent?: string): Span;
}

export const NO_SPAN: Span = {
  isRecording: false,
  rename: () => undefined,
  set: () => undefined,
  child: () => NO_SPAN,
  end: () => undefined,
};

export const NO_TRACER: Tracer = { start: () => NO_SPAN };

/** Does a part of a traced piece of work in a span of its own. `errorTypeOf` names what it throws. */
export function inSpan<T>(
  parent: Span,
  name: string,
  work: (span: Span) => Promise<T>,
  errorTypeOf: (thrown: unknown) => string,
): Promise<T> {
  return parent.isRecording ? recorded(parent.child(name, 'internal'), work, errorTypeOf) : work(NO_SPAN);
}

async function recorded<T>(
  span: Span,
  work: (span: Span) => Promise<T>,
  errorTypeOf: (thrown: unknown) => string,
): Promise<T> {
  try {
    const result = await work(span);
    span.end();
    return result;
  } catch (error) {
    span.end(errorTypeOf(error));
    throw error;
  }
}

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
  /** Whether whoever asks may name the trace that their request belongs to. */
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

/** What a process measures and traces with. */
export interface Telemetry {
  metrics: Metrics;
  tracer: Tracer;
}

/** One that nobody looks at. */
export function quietTelemetry(): Telemetry {
  return { metrics: createMetrics({ measuresNode: false }), tracer: NO_TRACER };
}

/** The version of the code that runs. A test holds it and package.json together. */
export const FAREBOX_VERSION = '0.1.0';
