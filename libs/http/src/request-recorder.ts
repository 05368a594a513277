import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger, Span, Tracer } from '@farebox/observability';
import { onceAnswered } from './answer-end';
import { answerCodeOf } from './answered-code';
import type { RequestContext } from './request-context';
import type { RequestMeter } from './request-meter';
import { endRequestSpan, startRequestSpan } from './request-span';

/** What a service knows of a request at its end, for the log. */
export interface RequestDescription {
  /** The pattern, never the path that was asked for. */
  route: string;
  accountId?: string | undefined;
  /** The precondition that it did not meet. */
  refusedBy?: string | undefined;
}

export interface RequestRecorderOptions {
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

  /** Follows a request from here to the end of its answer, and describes it then. Answers with its span. */
  follow(
    req: IncomingMessage,
    res: ServerResponse,
    { requestId, startedAtMs }: RequestContext,
    describe: () => RequestDescription,
  ): Span {
    const { log, tracer, requests } = this.#options;
    const span = startRequestSpan(tracer, req, requestId);
    requests.begun();
    onceAnswered(res, (isWritten) => {
      const { route, accountId, refusedBy } = describe();
      const method = req.method ?? '';
      const status = res.statusCode;
      const durationMs = Math.round(this.#nowMs() - startedAtMs);
      const code = answerCodeOf(res, isWritten);
      requests.ended(method, route, code, durationMs);
      endRequestSpan(span, { method, route, status, code });
      log.info(
        {
          event: isWritten ? 'request_completed' : 'request_cut',
          request_id: requestId,
          account_id: accountId,
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
