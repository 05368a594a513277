import {
  answerCodeOf,
  endRequestSpan,
  onceAnswered,
  startRequestSpan,
  type RequestMeter,
} from '@farebox/http';
import type { Tracer } from '@farebox/observability';
import type { NextFunction, Request, Response } from 'express';
import { routeOf } from './request-log';
import type { Locals } from './serve-endpoint';

export interface RequestTelemetry {
  requests: RequestMeter;
  tracer: Tracer;
}

/** Measures and traces each request, by the pattern of its route, from here to the end of its answer. */
export function requestTelemetryMiddleware(
  { requests, tracer }: RequestTelemetry,
  nowMs: () => number = () => performance.now(),
) {
  return (req: Request, res: Response<unknown, Locals>, next: NextFunction): void => {
    const { requestId, startedAtMs } = res.locals;
    const span = startRequestSpan(tracer, req, requestId);
    requests.begun();
    onceAnswered(res, (isWritten) => {
      const { method } = req;
      const route = routeOf(req) ?? 'other';
      const code = answerCodeOf(res, isWritten);
      requests.ended(method, route, code, nowMs() - startedAtMs);
      endRequestSpan(span, { method, route, status: res.statusCode, code });
    });
    next();
  };
}
