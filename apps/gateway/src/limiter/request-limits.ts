import { RefusalError } from '../refusals';

/** Maximum requests in a window, and at once. */
export interface RequestLimit {
  requests: number;
  concurrent: number;
}

export interface LimiterSettings {
  windowMs: number;
  /** Per API key. */
  key: RequestLimit;
  /** For all keys of an account together. */
  account: RequestLimit;
  /** For all free requests of an account's keys together. They count in the other two as well. */
  free: RequestLimit;
}

/**
 * The limits of a key and of its account. By default an account has four times as much as a key, and as much as one
 * key for free requests.
 */
export function toLimiterSettings(
  { requests, concurrent, windowMs }: RequestLimit & { windowMs: number },
  own: { account?: OwnLimit; free?: OwnLimit } = {},
): LimiterSettings {
  return {
    windowMs,
    key: { requests, concurrent },
    account: {
      requests: own.account?.requests ?? KEYS_OF_ACCOUNT * requests,
      concurrent: own.account?.concurrent ?? KEYS_OF_ACCOUNT * concurrent,
    },
    free: {
      requests: own.free?.requests ?? requests,
      concurrent: own.free?.concurrent ?? concurrent,
    },
  };
}

const KEYS_OF_ACCOUNT = 4;

/**
 * The limits of counting tokens, apart from all others: an editor counts in bursts, and that must not use up its
 * message requests. Per window an account has as many as one key has requests, and four times as many at once.
 * Counting is work of one process, so each process has its own limits.
 */
export function toCountLimiterSettings({ windowMs, key }: LimiterSettings): LimiterSettings {
  const { requests, concurrent } = key;
  return toLimiterSettings({ windowMs, requests, concurrent: KEYS_OF_ACCOUNT * concurrent });
}

type OwnLimit = { [Name in keyof RequestLimit]?: number | undefined };

export type LimitScope = 'key' | 'account' | 'free';

/** In the order in which they are checked: the first scope without room is reported. */
export const LIMIT_SCOPES = ['key', 'account', 'free'] as const satisfies readonly LimitScope[];

/** The owner of the request. */
export interface LimitedCaller {
  apiKeyId: string;
  accountId: string;
}

/** `free`: nothing is held for it, regardless of its work. */
export type RequestKind = 'paid' | 'free';

/** Number of scopes that limit a request, from the first on. */
export function scopeCountOf(kind: RequestKind): number {
  return kind === 'paid' ? 2 : LIMIT_SCOPES.length;
}

/** Limits the requests of a key and of its account in a sliding window, and at once. */
export interface RequestLimiter {
  /** Takes a permit of all scopes for a request, or of none. Throws `rate_limit_error`. */
  take(caller: LimitedCaller, kind: RequestKind): Promise<Permit>;
  /** Whether a permit takes time and is almost certain, so that the next step may begin meanwhile. */
  canAdmitEarly(caller: LimitedCaller): boolean;
}

/**
 * The right to be one of the concurrent requests. In the window the request counts until it ages out, released or
 * not.
 */
export interface Permit {
  /**
   * The state of the key's window for the customer, if it is known: omitted if only some of the requests were
   * counted.
   */
  headers: readonly (readonly [string, string])[];
  /** The same, as numbers. */
  window: WindowState | undefined;
  release(): void;
}

/** The state of a key's window after a request was counted or refused. */
export interface WindowState {
  limit: number;
  remaining: number;
  /** Until the oldest request of the window ages out. */
  resetMs: number;
}

/** The documented rate limit headers. `Reset` is an upper bound, in whole seconds. */
export function toRateLimitHeaders({ limit, remaining, resetMs }: WindowState): [string, string][] {
  return [
    ['X-RateLimit-Limit-Requests', String(limit)],
    ['X-RateLimit-Remaining-Requests', String(Math.max(0, remaining))],
    ['X-RateLimit-Reset-Requests', String(Math.ceil(resetMs / 1_000))],
  ];
}

/** The same headers for a limit of tokens. */
export function toTokenLimitHeaders({ limit, remaining, resetMs }: WindowState): [string, string][] {
  return [
    ['X-RateLimit-Limit-Tokens', String(limit)],
    ['X-RateLimit-Remaining-Tokens', String(Math.max(0, remaining))],
    ['X-RateLimit-Reset-Tokens', String(Math.ceil(resetMs / 1_000))],
  ];
}

/**
 * The window of a scope is full. `state` is the key's window for the headers; undefined if only some of the requests
 * were counted.
 */
export function windowFullError(
  scope: LimitScope,
  settings: LimiterSettings,
  retryAfterMs: number,
  state?: WindowState,
): RefusalError {
  const { of, which } = WORDS[scope];
  return new RefusalError('request_limit', 'rate_limit_error', {
    message:
      `${of} has reached its limit of ${String(settings[scope].requests)} requests${which} in ` +
      `${seconds(settings.windowMs)}. Retry in ${seconds(Math.max(retryAfterMs, 1))}.`,
    retryAfterSeconds: retryAfterMs / 1_000,
    headers: state ? toRateLimitHeaders(state) : [],
  });
}

/** Too many requests of a scope run at once. */
export function tooManyAtOnceError(
  scope: LimitScope,
  settings: LimiterSettings,
  state?: WindowState,
): RefusalError {
  const { of, which } = WORDS[scope];
  return new RefusalError('request_limit', 'rate_limit_error', {
    message:
      `${of} has reached its limit of ${String(settings[scope].concurrent)} requests${which} at once. ` +
      'Send the next one when one of them has ended.',
    // Nobody knows when one ends, but usually soon.
    retryAfterSeconds: 1,
    headers: state ? toRateLimitHeaders(state) : [],
  });
}

const WORDS: Readonly<Record<LimitScope, { of: string; which: string }>> = {
  key: { of: 'This key', which: '' },
  account: { of: 'This account', which: ' by all of its keys' },
  free: { of: 'This account', which: ' that are free' },
};

function seconds(ms: number): string {
  const count = Math.ceil(ms / 1_000);
  return count === 1 ? 'one second' : `${String(count)} seconds`;
}
