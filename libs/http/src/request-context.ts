import type { IncomingMessage, ServerResponse } from 'node:http';
import { toPublicId, uuidV7 } from '@farebox/auth';
import { ApiError } from '@farebox/errors';
import helmet from 'helmet';
import { headersOf } from './page';

/**
 * The headers that helmet sets for a service with JSON only, computed once: a response that bypasses Express carries
 * the same headers, from the same source.
 */
export const SECURITY_HEADERS: readonly (readonly [string, string])[] = Object.entries(
  headersOf(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      xFrameOptions: { action: 'deny' },
    }),
  ),
);

/**
 * Headers of a response that are not set yet: alternating names and values, which `writeHead` takes all at once.
 * Setting them one by one costs a hot route more than its JSON.
 */
export type ResponseHead = string[];

const SECURITY_HEAD: ResponseHead = SECURITY_HEADERS.flat();

const ACCEPTABLE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export interface RequestContext {
  /** Unique to this request, a UUID in order of time. Records of the request are stored under it. */
  id: string;
  /** The id in the log and the response: `id` in public form, unless the client sent one of its own. */
  requestId: string;
  /** By `performance.now()`, which is never set back, because it is used for durations only. */
  startedAtMs: number;
}

/**
 * The request id: the client's own if it is well formed, otherwise that of the request. Source:
 * docs/design/contract.md.
 */
export function chooseRequestId(headers: IncomingMessage['headers'], id: string): string {
  const own = headers['x-service-request-id'] ?? headers['x-request-id'];
  return typeof own === 'string' && ACCEPTABLE_REQUEST_ID.test(own) ? own : toPublicId('req', id);
}

/**
 * The context of a request, with the headers of every response: the security headers and the request id under both of
 * its names. Code that writes the response writes its head, or calls `setHead` before it hands the response on.
 */
export function identifyRequest(
  req: IncomingMessage,
  nowMs: () => number = () => performance.now(),
): RequestContext & { head: ResponseHead } {
  const id = uuidV7();
  const requestId = chooseRequestId(req.headers, id);
  const head = [...SECURITY_HEAD, 'X-Service-Request-Id', requestId, 'x-request-id', requestId];
  return { id, requestId, startedAtMs: nowMs(), head };
}

/** Sets the head's headers one by one, for a response that other code continues. */
export function setHead(res: ServerResponse, head: ResponseHead): void {
  for (let i = 0; i + 1 < head.length; i += 2) res.setHeader(head[i] ?? '', head[i + 1] ?? '');
}

/** `identifyRequest`, with its head set. */
export function createRequestContext(
  req: IncomingMessage,
  res: ServerResponse,
  nowMs?: () => number,
): RequestContext {
  const { head, ...context } = identifyRequest(req, nowMs);
  setHead(res, head);
  return context;
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

/** Headers of which Node would silently keep the first, while something in front of us may have read the second. */
const ONCE_ONLY = new Set(['host', 'authorization', 'idempotency-key', 'content-type', 'content-encoding']);

/** Throws `invalid_request_error` if a header that must be unique comes twice, or if `Host` is missing. */
export function refuseAmbiguousHeaders(req: IncomingMessage): void {
  const { rawHeaders } = req;
  const seen: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    if (!ONCE_ONLY.has(name)) continue;
    if (seen.includes(name)) {
      throw new ApiError('invalid_request_error', { message: `The header ${name} was sent more than once.` });
    }
    seen.push(name);
  }
  if (req.httpVersion === '1.1' && !seen.includes('host')) {
    throw new ApiError('invalid_request_error', { message: 'The header host is missing.' });
  }
}
