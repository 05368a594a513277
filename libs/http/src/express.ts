import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, toApiError } from '@farebox/errors';
import { sendError } from './respond';
import { methodsFor, noRouteError, type Route } from './routes';

type Response = ServerResponse & { locals: Record<string, unknown> };

export interface ErrorLog {
  error(fields: { event: string; request_id: string; code: string; error: unknown }, message: string): void;
}

/** Last in the chain: answers 404, or 405 with `Allow`, in the error envelope. */
export function notFoundMiddleware(routes: readonly Route[]) {
  return (req: IncomingMessage & { path: string }, res: Response): void => {
    const allowed = methodsFor(routes, req.path);
    if (allowed.length > 0) res.setHeader('Allow', allowed.join(', '));
    sendError(res, noRouteError(allowed));
  };
}

/** Express's error handler: the one place where an error of the chain becomes an answer. */
export function errorMiddleware(log: ErrorLog) {
  // Express tells an error handler by its four parameters.
  return (thrown: unknown, _req: IncomingMessage, res: Response, next: (error: unknown) => void): void => {
    const error = isBadRequestOfExpress(thrown)
      ? new ApiError('invalid_request_error', { message: 'The request path is not valid.', cause: thrown })
      : toApiError(thrown);
    if (error.status >= 500) {
      const fields = {
        event: 'request_failed',
        request_id: String(res.locals['requestId']),
        code: error.code,
      };
      log.error({ ...fields, error: error.cause }, 'request failed');
    }
    if (res.headersSent) next(thrown);
    else sendError(res, error);
  };
}

/** Express's router throws errors of its own with a `status`, for a path whose percent-encoding is broken. */
function isBadRequestOfExpress(thrown: unknown): boolean {
  if (thrown instanceof ApiError) return false;
  return (
    thrown instanceof URIError || (thrown instanceof Error && 'status' in thrown && thrown.status === 400)
  );
}
