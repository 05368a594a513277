import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Histogram,
  type LabelValue,
  type Logger,
  type Metrics,
  NO_SPAN,
  NO_TRACER,
  type Span,
  type Tracer,
} from '@farebox/observability';
import type { RequestContext } from './request-context';
import { type ResponseCode, responseCodeOf, onceResponseEnds } from './response-end';

/** A service's facts about a request at its end, for the log. */
export interface RequestDescription {
  /** The pattern, never the requested path. */
  route: string;
  /** Public ids, `acct_…` and `key_…`, as far as they are known. */
  accountId?: string | undefined;
  apiKeyId?: string | undefined;
  /** The precondition that it failed. */
  refusedBy?: string | undefined;
}

interface RequestRecorderOptions {
  log: Logger;
  tracer: Tracer;
  requests: RequestMeter;
  nowMs?: () => number;
}

/** Records how a request ends, once: one line in the log, a measurement, and the end of its span. */
export class RequestRecorder {
  readonly #options: RequestRecorderOptions;
  readonly #nowMs: () => number;

  constructor(options: RequestRecorderOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Follows a request to the end of its response, and describes it then. Returns its span. */
  follow(
    req: IncomingMessage,
    res: ServerResponse,
    { requestId, startedAtMs }: Omit<RequestContext, 'id'>,
    describe: () => RequestDescription,
  ): Span {
    const { log, tracer, requests } = this.#options;
    const span = startRequestSpan(tracer, req, requestId);
    requests.begun();
    onceResponseEnds(res, (isWritten) => {
      const { route, accountId, apiKeyId, refusedBy } = describe();
      const method = req.method ?? '';
      const status = res.statusCode;
      const durationMs = Math.round(this.#nowMs() - startedAtMs);
      const code = responseCodeOf(res, isWritten);
      requests.ended(method, route, code, durationMs);
      endRequestSpan(span, { method, route, status, code });
      log.info(
        {
          event: isWritten ? 'request_completed' : 'request_cut',
          request_id: requestId,
          account_id: accountId,
          api_key_id: apiKeyId,
          method,
          route,
          status,
          code: code === 'ok' ? undefined : code,
          refused_by: refusedBy,
          duration_ms: durationMs,
        },
        'request',
      );
    });
    return span;
  }
}

/** Begins the span of a request. The client may name its trace, if the service follows that. */
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

interface AnsweredRequest {
  method: string;
  /** The pattern, never the requested path. */
  route: string;
  status: number;
  code: ResponseCode;
}

/** Ends it. Only failures of the service count as its failure. */
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

type Method = LabelValue<'method'>;

/** Measures the requests of a service. */
export interface RequestMeter {
  begun(): void;
  /** `route`: the pattern, never the requested path. */
  ended(method: string | undefined, route: string, code: ResponseCode, durationMs: number): void;
}

/** Methods with their own name in the metrics. A client can send many more. */
const METHODS = new Set<string>([
  'GET',
  'POST',
  'PATCH',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
] satisfies Method[]);

export function createRequestMeter(metrics: Metrics): RequestMeter {
  const byRoute = new Map<string, Map<string, Map<ResponseCode, Histogram>>>();
  const running = metrics.gauge('farebox_http_requests_running');
  let requests = 0;
  metrics.beforeScrape(() => {
    running.set(requests);
  });

  function histogramOf(route: string, method: string, code: ResponseCode): Histogram {
    const byMethod = getOrAdd(byRoute, route, () => new Map<string, Map<ResponseCode, Histogram>>());
    const byCode = getOrAdd(byMethod, method, () => new Map<ResponseCode, Histogram>());
    return getOrAdd(byCode, code, () => {
      const of = (one: ResponseCode): Histogram =>
        metrics.histogram('farebox_http_request_duration_seconds', method as Method, route, one);
      // Created before it is needed: an alert sees no growth in a series that begins with 1.
      of('internal_error');
      return of(code);
    });
  }

  return {
    begun() {
      requests++;
    },
    ended(method = '', route, code, durationMs) {
      requests--;
      histogramOf(route, METHODS.has(method) ? method : 'other', code).observe(durationMs / 1_000);
    },
  };
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(key, value);
  return value;
}
