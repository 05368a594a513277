import { RefusalError } from '../refusals';

/** Limits the requests of a key: so many in a sliding window, and so many at once. */
export interface RequestLimiter {
  /** Takes a permit for a request. Throws `rate_limit_error`; a refused request takes none. */
  take(apiKeyId: string): Promise<Permit>;
}

/** Lets a request be one of those that run at once. In the window it counts until it ages out, released or not. */
export interface Permit {
  /** What the customer is told, if it is known: left out if only a part of the requests was counted. */
  headers: readonly (readonly [string, string])[];
  release(): void;
}

export interface LimiterSettings {
  requests: number;
  windowMs: number;
  concurrent: number;
}

/** What is known of a key's window after a request was counted or refused. */
export interface WindowState {
  limit: number;
  remaining: number;
  /** Until the oldest request of the window ages out. */
  resetMs: number;
}

/** Source: API specification, "Rate limit". `Reset` is an upper bound, in whole seconds. */
export function toRateLimitHeaders({ limit, remaining, resetMs }: WindowState): [string, string][] {
  return [
    ['X-RateLimit-Limit-Requests', String(limit)],
    ['X-RateLimit-Remaining-Requests', String(Math.max(0, remaining))],
    ['X-RateLimit-Reset-Requests', String(Math.ceil(resetMs / 1_000))],
  ];
}

/** The window is full. `state` is what may be told of it; nothing if only a part of the requests was counted. */
export function windowFullError(retryAfterMs: number, state?: WindowState): RefusalError {
  return new RefusalError('request_limit', 'rate_limit_error', {
    retryAfterSeconds: retryAfterMs / 1_000,
    headers: state ? toRateLimitHeaders(state) : [],
  });
}

/** Too many requests of the key run at once; when one ends is not known. */
export function tooManyAtOnceError(state?: WindowState): RefusalError {
  return new RefusalError('request_limit', 'rate_limit_error', {
    message: 'Too many requests of this key are running at once.',
    headers: state ? toRateLimitHeaders(state) : [],
  });
}
