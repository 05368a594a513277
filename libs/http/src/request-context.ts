import type { IncomingMessage, ServerResponse } from 'node:http';
import { toPublicId, uuidV7 } from '@farebox/ids';
import { SECURITY_HEADERS } from './security-headers';

const ACCEPTABLE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export interface RequestContext {
  requestId: string;
  /** By `performance.now()`, which is never set back: what it took is measured, when it was is not. */
  startedAtMs: number;
}

/**
 * The id under which a request is logged and answered: the client's own if it is well formed, else a new one.
 * Source: decisions, "Names and formats".
 */
export function chooseRequestId(headers: IncomingMessage['headers'], newUuid = uuidV7): string {
  const own = headers['x-service-request-id'] ?? headers['x-request-id'];
  return typeof own === 'string' && ACCEPTABLE_REQUEST_ID.test(own) ? own : toPublicId('req', newUuid());
}

/** Sets what every response carries: the request id under both of its names and the security headers. */
export function createRequestContext(
  req: IncomingMessage,
  res: ServerResponse,
  nowMs: () => number = () => performance.now(),
): RequestContext {
  const requestId = chooseRequestId(req.headers);
  for (const [name, value] of SECURITY_HEADERS) res.setHeader(name, value);
  res.setHeader('X-Service-Request-Id', requestId);
  res.setHeader('x-request-id', requestId);
  return { requestId, startedAtMs: nowMs() };
}

/** The same as Express middleware; the id is then in `res.locals.requestId`. */
export function requestIdMiddleware() {
  return (
    req: IncomingMessage,
    res: ServerResponse & { locals: Record<string, unknown> },
    next: () => void,
  ): void => {
    const context = createRequestContext(req, res);
    res.locals['requestId'] = context.requestId;
    res.locals['startedAtMs'] = context.startedAtMs;
    next();
  };
}
