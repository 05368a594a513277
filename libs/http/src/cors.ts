import type { IncomingMessage, ServerResponse } from 'node:http';
import { isListed } from '@farebox/auth';
import cors from 'cors';
import type { ResponseHead } from './request-context';

/** `head`: the response's head, if it is not set yet. */
type OriginRule = (req: IncomingMessage, res: ServerResponse, next: () => void, head?: ResponseHead) => void;

/** How long a browser caches a preflight. */
const REMEMBER_SECONDS = 600;

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];

/** Headers that a page may read: ids, retries, limits, pages of a list, names of files. */
const READABLE_HEADERS = [
  'X-Service-Request-Id',
  'x-request-id',
  'x-should-retry',
  'Retry-After',
  'Link',
  'ETag',
  'Content-Disposition',
  'Idempotent-Replayed',
  'X-Ignored-Fields',
  'X-RateLimit-Limit-Requests',
  'X-RateLimit-Remaining-Requests',
  'X-RateLimit-Reset-Requests',
];

/**
 * Lets pages of the listed origins only call the service with the session's cookie. Their preflights are answered
 * here; everything else is passed on. Without a list the service behaves as if there were no CORS at all.
 */
export function allowOrigins(origins: readonly string[]): OriginRule {
  if (origins.length === 0) return (_req, _res, next) => next();
  const answer = cors({
    origin: [...origins],
    credentials: true,
    methods: METHODS,
    exposedHeaders: READABLE_HEADERS,
    maxAge: REMEMBER_SECONDS,
  });
  // Three parameters and a rest: Express treats a function with four as an error handler.
  return (req, res, next, ...[head]) => {
    if (isListed(req.headers.origin, origins)) {
      answer(req, res, next);
      return;
    }
    // A cached copy of this is not valid for a page of a listed origin.
    if (head) head.push('vary', 'Origin');
    else res.setHeader('vary', 'Origin');
    next();
  };
}

/** Whether a browser sends a preflight. It carries no credential. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

/**
 * Lets a page of any origin send requests with their own key, and no cookie. Which responses it may read is up to
 * `shareWith`.
 */
export function answerPreflight({ headers }: IncomingMessage, res: ServerResponse): void {
  res.setHeader('access-control-allow-origin', headers.origin ?? '');
  res.setHeader('vary', 'Origin, Access-Control-Request-Headers');
  res.setHeader('access-control-allow-methods', METHODS.join(','));
  res.setHeader('access-control-allow-headers', headers['access-control-request-headers'] ?? '');
  res.setHeader('access-control-max-age', REMEMBER_SECONDS);
  res.setHeader('content-length', 0);
  res.statusCode = 204;
  res.end();
}

/** Lets a page of an origin read the response. */
export function shareWith(res: ServerResponse, origin: string): void {
  res.setHeader('access-control-allow-origin', origin);
  res.setHeader('access-control-expose-headers', READABLE_HEADERS.join(','));
  res.setHeader('vary', 'Origin');
}
