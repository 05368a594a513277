import type { SpanAttributes } from './span-attributes';

/** Who speaks: `server` answers, `client` asks another service, `consumer` does a job, `internal` is a part of those. */
export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

/** A piece of work as a trace shows it. Where nothing is traced, all of this does nothing. */
export interface Span {
  /** Whether anybody will see it: what only a trace needs may be left out where not. */
  readonly isRecording: boolean;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** A part of this piece of work. */
  child(name: string, kind: SpanKind, attributes?: SpanAttributes): Span;
  /** Once. `errorType`: it failed, by what: a word of a closed set. */
  end(errorType?: string): void;
}

export interface Tracer {
  /** `traceparent`: the header of whoever asked. It is followed only where the operator wants that. */
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
