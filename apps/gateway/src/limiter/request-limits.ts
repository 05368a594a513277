import { RefusalError } from '../refusals';

/** So many requests in a window, and so many at once. */
export interface RequestLimit {
  requests: number;
  concurrent: number;
}

export interface LimiterSettings {
  windowMs: number;
  /** Of an API key. */
  key: RequestLimit;
  /** Of all keys of an account together. */
  account: RequestLimit;
  /** Of all keys of an account together, for requests that cost nothing: they count in the other two as well. */
  free: RequestLimit;
}

/**
 * The limits of a key, and those of its account if they are not set: four times as much, and for what costs nothing as much
 * as one key.
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
 * The limits of counting tokens, apart from those of everything else: an editor counts in bursts, and must not be refused
 * its messages for it. An account has as many in a window as one key has requests, and four times as many at once. It is
 * work of this process alone, and each process limits its own.
 */
export function toCountLimiterSettings({ windowMs, key }: LimiterSettings): LimiterSettings {
  const { requests, concurrent } = key;
  return toLimiterSettings({ windowMs, requests, concurrent: KEYS_OF_ACCOUNT * concurrent });
}

type OwnLimit = { [Name in keyof RequestLimit]?: number | undefined };

export type LimitScope = 'key' | 'account' | 'free';

/** In the order in which they are asked: the first that has no room is told. */
export const LIMIT_SCOPES = ['key', 'account', 'free'] as const satisfies readonly LimitScope[];

/** Whose request it is. */
export interface LimitedCaller {
  apiKeyId: string;
  accountId: string;
}

/** `free`: nothing is held for it, whatever work it is. */
export type RequestKind = 'paid' | 'free';

/** How many of the scopes limit a request, from the first on. */
export function scopeCountOf(kind: RequestKind): number {
  return kind === 'paid' ? 2 : LIMIT_SCOPES.length;
}

/** Limits the requests of a key and of its account: so many in a sliding window, and so many at once. */
export interface RequestLimiter {
  /** Takes a permit for a request, of all its scopes or of none. Throws `rate_limit_error`. */
  take(caller: LimitedCaller, kind: RequestKind): Promise<Permit>;
  /** Whether a permit takes time, and is as good as sure: what comes after it may be begun beside it. */
  canAdmitEarly(caller: LimitedCaller): boolean;
}

/** Lets a request be one of those that run at once. In the window it counts until it ages out, released or not. */
export interface Permit {
  /** What the customer is told of the key's window, if it is known: left out if only a part of the requests was counted. */
  headers: readonly (readonly [string, string])[];
  release(): void;
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

/**
 * The window of a scope is full. `state` is what may be told of the key's window; nothing if only a part of the requests
 * was counted.
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
    // It is not known when one ends: soon, as a rule.
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
