import { answerCodeOf, onceAnswered } from '@farebox/http';
import type { Logger } from '@farebox/observability';
import { toPublicId } from '@farebox/ids';
import type { NextFunction, Request, Response } from 'express';
import { routeOf } from './route-of';
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
