import { createMetrics, type Metrics } from './metrics';
import { scrub } from './scrub';

/**
 * Every attribute that a span may carry, and its kind. A closed set like the fields of the log, so that no
 * header, prompt or secret reaches a trace by accident. The only customer data is the request id.
 */
const SPAN_ATTRIBUTES = {
  'http.request.method': 'string',
  'http.route': 'string',
  'http.response.status_code': 'number',
  /** A public error code, or the kind of upstream failure. */
  'error.type': 'string',
  'farebox.request_id': 'string',
  'farebox.upstream': 'string',
  'farebox.outcome': 'string',
  'farebox.first_token_ms': 'number',
  // OpenTelemetry's conventions for generative AI. Those with content are left out.
  'gen_ai.operation.name': 'string',
  'gen_ai.provider.name': 'string',
  /** The upstream's name of the model, which was asked for. */
  'gen_ai.request.model': 'string',
  'gen_ai.request.stream': 'boolean',
  'gen_ai.response.finish_reasons': 'strings',
  'gen_ai.usage.input_tokens': 'number',
  'gen_ai.usage.output_tokens': 'number',
  'gen_ai.usage.cache_read.input_tokens': 'number',
  'gen_ai.usage.cache_creation.input_tokens': 'number',
  'server.address': 'string',
  'farebox.queue': 'string',
  'farebox.job': 'string',
  'farebox.job_id': 'string',
} as const satisfies Record<string, keyof Kinds>;

interface Kinds {
  string: string;
  number: number;
  boolean: boolean;
  strings: readonly string[];
}

export type SpanAttributes = {
  readonly [Name in keyof typeof SPAN_ATTRIBUTES]?: Kinds[(typeof SPAN_ATTRIBUTES)[Name]] | undefined;
};

const LONGEST_TEXT = 256;
/** A map, not an object: `constructor` and `__proto__` must not be found. */
const ATTRIBUTE_KINDS = new Map<string, string>(Object.entries(SPAN_ATTRIBUTES));

/** The allowed attributes in their exported form. Everything else is dropped. */
export function toExportedAttributes(attributes: SpanAttributes): Record<string, ExportedValue> {
  const exported: Record<string, ExportedValue> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || kindOf(value) !== ATTRIBUTE_KINDS.get(name)) continue;
    if (typeof value === 'string') exported[name] = scrub(value, LONGEST_TEXT);
    else if (typeof value === 'object') exported[name] = value.map((text) => scrub(text, LONGEST_TEXT));
    else exported[name] = value;
  }
  return exported;
}

type ExportedValue = string | number | boolean | string[];

function kindOf(value: unknown): string {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? 'strings' : typeof value;
}

/**
 * `server` answers a request, `client` calls another service, `consumer` runs a job, `internal` is a part of
 * those.
 */
export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

/** A piece of work in a trace. Does nothing if tracing is off. */
export interface Span {
  /** Whether the span will be exported. If not, code may skip work that only a trace needs. */
  readonly isRecording: boolean;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Starts a child span. */
  child(name: string, kind: SpanKind, attributes?: SpanAttributes): Span;
  /** Call once. `errorType`: the reason of a failure, from a closed set. `endedAt`: if it ended before now. */
  end(errorType?: string, endedAt?: Date): void;
}

export interface Tracer {
  /** `traceparent`: the caller's header. It is followed only if the operator allows it. */
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

/** Runs a part of traced work in its own span. `errorTypeOf` names the type of a thrown error. */
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

/** The sampler, as OTEL_TRACES_SAMPLER names it. */
type TraceSampler =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

export interface TracingConfig {
  /** The target of spans, OTLP over HTTP: `http://127.0.0.1:4318/v1/traces`. */
  tracesUrl: string;
  sampler: TraceSampler;
  /** From 0 to 1. */
  ratio: number;
  /** Whether callers may choose the trace that their request belongs to. */
  continuesTraces: boolean;
}

export interface TracingOptions extends TracingConfig {
  /** Such as `gateway`. */
  service: string;
  /** The collector refused some spans, which are lost. */
  onExportFailed: (error: unknown) => void;
  /** The collector accepts spans again. */
  onExportRestored: () => void;
}

export interface Tracing {
  tracer: Tracer;
  /** Sends the remaining spans within a short time limit. Never rejects. */
  close(): Promise<void>;
}

export const NO_TRACING: Tracing = { tracer: NO_TRACER, close: () => Promise.resolve() };

/** The metrics and tracer of a process. */
export interface Telemetry {
  metrics: Metrics;
  tracer: Tracer;
}

/** Telemetry that goes nowhere. */
export function quietTelemetry(): Telemetry {
  return { metrics: createMetrics({ measuresNode: false }), tracer: NO_TRACER };
}

/** The version of the running code. A test compares it with package.json. */
export const FAREBOX_VERSION = '0.1.0';
