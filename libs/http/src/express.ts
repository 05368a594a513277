import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ApiError } from '@farebox/errors';
import { createRequestContext } from './request-context';
import { sendFailure, type ErrorLog, sendError, type ToErrorBody } from './respond';

export interface Route {
  method: string;
  /**
   * `/v1/api-keys/:key_public_id`: a segment with a colon stands for any one segment, and a last one with a star,
   * `/v1/models/*model`, for all remaining ones.
   */
  path: string;
}

/** The methods that exist for a path; empty if there is no such path. */
export function methodsFor(routes: readonly Route[], path: string): string[] {
  const segments = path.split('/');
  return routes.filter((route) => matches(route.path.split('/'), segments)).map((route) => route.method);
}

function matches(pattern: string[], segments: string[]): boolean {
  const isOpen = pattern.at(-1)?.startsWith('*') === true;
  return (
    (isOpen ? pattern.length <= segments.length : pattern.length === segments.length) &&
    pattern.every((part, i) => (/^[:*]/.test(part) ? segments[i] !== '' : part === segments[i]))
  );
}

/** The error of a request that no handler took: 405 if the path exists under other methods, else 404. */
export function noRouteError(allowedMethods: readonly string[]): ApiError {
  return allowedMethods.length > 0
    ? new ApiError('invalid_request_error', {
        status: 405,
        message: `This path takes ${allowedMethods.join(', ')}.`,
      })
    : new ApiError('invalid_request_error', { status: 404, message: 'There is no such path.' });
}

type Response = ServerResponse & { locals: Record<string, unknown> };

type ExpressApp = (req: IncomingMessage, res: ServerResponse, next: (thrown?: unknown) => void) => void;

/**
 * An Express app as a server's listener. A request whose target has no path bypasses the app: Express itself would
 * answer it with an HTML page that shows internals.
 */
export function listenerOf(app: ExpressApp, log: ErrorLog): RequestListener {
  return (req, res) => {
    app(req, res, (thrown) => {
      if (res.headersSent) {
        res.destroy();
        return;
      }
      const { requestId } = createRequestContext(req, res);
      sendFailure(log, res, requestId, thrown ?? noRouteError([]));
    });
  };
}

/** Last in the chain: responds 404, or 405 with `Allow`, in the format of `toBodyOf`, as below. */
export function notFoundMiddleware(
  routes: readonly Route[],
  toBodyOf: (req: IncomingMessage) => ToErrorBody | undefined = () => undefined,
) {
  return (req: IncomingMessage & { path: string }, res: Response): void => {
    const allowed = methodsFor(routes, req.path);
    if (allowed.length > 0 && asksForWebSocket(req)) {
      res.setHeader('Upgrade', 'HTTP/1.1');
      sendError(res, noWebSocketError());
      return;
    }
    if (allowed.length > 0) res.setHeader('Allow', allowed.join(', '));
    sendError(res, noRouteError(allowed), toBodyOf(req));
  };
}

/** `Upgrade` is for the next hop only: a proxy does not pass it on. */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers['sec-websocket-key'] !== undefined || headers.upgrade?.toLowerCase() === 'websocket';
}

/** Clients with a fallback, like Codex, continue by HTTP at once; after any other status they retry first. */
function noWebSocketError(): ApiError {
  const message = 'This path speaks HTTP: send the request by POST, with "stream": true for events.';
  return new ApiError('invalid_request_error', { status: 426, message });
}

/**
 * Express's error handler: `sendFailure` for anything its chain throws. `toBodyOf` gives the format for a request's
 * client, if that is not the envelope.
 */
export function errorMiddleware(
  log: ErrorLog,
  toBodyOf: (req: IncomingMessage) => ToErrorBody | undefined = () => undefined,
) {
  // Express recognizes an error handler by its four parameters.
  return (thrown: unknown, req: IncomingMessage, res: Response, next: (error: unknown) => void): void => {
    const error = isBadRequestOfExpress(thrown)
      ? new ApiError('invalid_request_error', { message: 'The request path is not valid.', cause: thrown })
      : thrown;
    const hasBegun = res.headersSent;
    sendFailure(log, res, String(res.locals['requestId']), error, toBodyOf(req));
    if (hasBegun) next(thrown);
  };
}

/** Express's router throws errors of its own with a `status`, for a path whose percent-encoding is broken. */
function isBadRequestOfExpress(thrown: unknown): boolean {
  if (thrown instanceof ApiError) return false;
  return (
    thrown instanceof URIError || (thrown instanceof Error && 'status' in thrown && thrown.status === 400)
  );
}

const RETRY_AFTER_SECONDS = 1;

/** Express's error handler: what `isUnavailable` recognizes, such as a lost database, is 503 and not an internal error. */
export function unavailableMiddleware(isUnavailable: (error: unknown) => boolean) {
  return (error: unknown, _req: IncomingMessage, _res: Response, next: (error: unknown) => void): void => {
    if (error instanceof ApiError || !isUnavailable(error)) next(error);
    else next(new ApiError('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error }));
  };
}

/** The matched pattern, e.g. `/v1/api-keys/:key_public_id`, for records, which name no path. Express sets it while routing. */
export function routeOf({ route }: { route?: unknown }): string {
  if (typeof route !== 'object' || route === null || !('path' in route)) return 'other';
  return typeof route.path === 'string' ? route.path : 'other';
}
