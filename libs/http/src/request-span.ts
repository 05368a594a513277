import type { IncomingMessage } from 'node:http';
import { NO_SPAN, NO_TRACER, type Span, type Tracer } from '@farebox/observability';
import type { AnswerCode } from './answered-code';

/** Begins the span of a request. Whoever asked may name the trace that it belongs to, where that is followed. */
export function startRequestSpan(tracer: Tracer, req: IncomingMessage, requestId: string): Span {
  if (tracer === NO_TRACER) return NO_SPAN;
  const { traceparent } = req.headers;
  const attributes = { 'farebox.request_id': requestId };
  return tracer.start(
    'request',
    'server',
    attributes,
    typeof traceparent === 'string' ? traceparent : undefined,
  );
}

export interface AnsweredRequest {
  method: string;
  /** The pattern, never the path that was asked for. */
  route: string;
  status: number;
  code: AnswerCode;
}

/** Ends it. Only what the service answers for counts as its failure. */
export function endRequestSpan(span: Span, { method, route, status, code }: AnsweredRequest): void {
  if (!span.isRecording) return;
  span.rename(`${method} ${route}`);
  span.set({
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    ...(code === 'ok' ? {} : { 'error.type': code }),
  });
  span.end(status >= 500 ? code : undefined);
}
