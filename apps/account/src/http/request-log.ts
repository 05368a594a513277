import {
  answerCodeOf,
  endRequestSpan,
  onceAnswered,
  startRequestSpan,
  type RequestMeter,
} from '@farebox/http';
import { toPublicId } from '@farebox/ids';
import type { Logger, Tracer } from '@farebox/observability';
import type { NextFunction, Request, Response } from 'express';
import type { Locals } from './serve-endpoint';

/** One line a request, when its answer is out or its client is gone. Names the route, never the path or a header. */
export function requestLogMiddleware(log: Logger, nowMs: () => number = () => performance.now()) {
  return (req: Request, res: Response<unknown, Locals>, next: NextFunction): void => {
    onceAnswered(res, (isWritten) => {
      const { requestId, startedAtMs, accountId } = res.locals;
      const code = answerCodeOf(res, isWritten);
      const fields = {
        event: 'request_completed',
        request_id: requestId,
        account_id: accountId === undefined ? undefined : toPublicId('acct', accountId),
        method: req.method,
        route: routeOf(req),
        status: res.statusCode,
        code: code === 'ok' ? undefined : code,
        outcome: isWritten ? 'answered' : 'client_gone',
        duration_ms: Math.round(nowMs() - startedAtMs),
      };
      log.info(fields, 'request completed');
    });
    next();
  };
}

/** The pattern that matched, e.g. `/v1/api-keys/:key_public_id`. Express sets it while it routes. */
export function routeOf(req: { route?: unknown }): string | undefined {
  const { route } = req;
  if (typeof route !== 'object' || route === null || !('path' in route)) return undefined;
  return typeof route.path === 'string' ? route.path : undefined;
}

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
