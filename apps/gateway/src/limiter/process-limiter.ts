import { RefusalError } from '../refusals';

/** Limits the requests of a key: so many in a sliding window, and so many at once. */
export interface RequestLimiter {
  /** Takes a permit for a request. Throws `rate_limit_error`; a refused request takes none. */
  take(apiKeyId: string): Promise<Permit>;
  /** Whether a permit takes time, and is as good as sure: what comes after it may be begun beside it. */
  isSlowButSure(apiKeyId: string): boolean;
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
export function windowFullError(
  { requests, windowMs }: LimiterSettings,
  retryAfterMs: number,
  state?: WindowState,
): RefusalError {
  return new RefusalError('request_limit', 'rate_limit_error', {
    message:
      `This key may make ${String(requests)} requests in ${seconds(windowMs)}, and has made them. ` +
      `There is room again in ${seconds(Math.max(retryAfterMs, 1))} at most.`,
    retryAfterSeconds: retryAfterMs / 1_000,
    headers: state ? toRateLimitHeaders(state) : [],
  });
}

function seconds(ms: number): string {
  const count = Math.ceil(ms / 1_000);
  return count === 1 ? 'one second' : `${String(count)} seconds`;
}

/** Too many requests of the key run at once; when one ends is not known. */
export function tooManyAtOnceError({ concurrent }: LimiterSettings, state?: WindowState): RefusalError {
  return new RefusalError('request_limit', 'rate_limit_error', {
    message:
      `This key may have ${String(concurrent)} requests running at once, and has. ` +
      'Send the next one when one of them has ended.',
    headers: state ? toRateLimitHeaders(state) : [],
  });
}

interface KeyLog {
  /** When the requests of the window were admitted, oldest first; those before `start` have aged out. */
  admittedAtMs: number[];
  start: number;
  running: number;
}

/** Aged-out times are dropped so many at a time: to move a long array for each request would cost more than the rest. */
const MOST_AGED_OUT = 1_024;

export type ProcessLimiter = ReturnType<typeof createProcessLimiter>;

/**
 * The limit held within this process: an exact sliding log in memory. It cannot count what other processes admit, so
 * it makes no statement about the requests that are left.
 */
export function createProcessLimiter(settings: LimiterSettings, now: () => number = () => performance.now()) {
  const logs = new Map<string, KeyLog>();
  let nextSweepAtMs = 0;

  function dropIdleKeys(nowMs: number): void {
    if (nowMs < nextSweepAtMs) return;
    nextSweepAtMs = nowMs + settings.windowMs;
    for (const [key, log] of logs) {
      const newest = log.admittedAtMs.at(-1) ?? 0;
      if (log.running === 0 && newest + settings.windowMs <= nowMs) logs.delete(key);
    }
  }

  function logOf(apiKeyId: string, nowMs: number): KeyLog {
    dropIdleKeys(nowMs);
    let log = logs.get(apiKeyId);
    if (!log) {
      log = { admittedAtMs: [], start: 0, running: 0 };
      logs.set(apiKeyId, log);
    }
    dropAgedOut(log, nowMs - settings.windowMs);
    return log;
  }

  function enter(log: KeyLog, nowMs: number): Permit {
    log.admittedAtMs.push(nowMs);
    log.running++;
    let left = false;
    return {
      headers: [],
      release() {
        if (!left) log.running--;
        left = true;
      },
    };
  }

  function take(apiKeyId: string): Permit {
    const nowMs = now();
    const log = logOf(apiKeyId, nowMs);
    const oldest = log.admittedAtMs[log.start];
    if (oldest !== undefined && log.admittedAtMs.length - log.start >= settings.requests) {
      throw windowFullError(settings, oldest + settings.windowMs - nowMs);
    }
    if (log.running >= settings.concurrent) throw tooManyAtOnceError(settings);
    return enter(log, nowMs);
  }

  return {
    take: (apiKeyId: string) => Promise.resolve().then(() => take(apiKeyId)),
    isSlowButSure: () => false,
    /** Counts a request that was admitted elsewhere, whatever the limit says. */
    count(apiKeyId: string): Permit {
      const nowMs = now();
      return enter(logOf(apiKeyId, nowMs), nowMs);
    },
  };
}

/** Drops what was admitted up to `untilMs`. */
function dropAgedOut(log: KeyLog, untilMs: number): void {
  const { admittedAtMs } = log;
  while ((admittedAtMs[log.start] ?? Infinity) <= untilMs) log.start++;
  if (log.start < MOST_AGED_OUT && log.start < admittedAtMs.length) return;
  admittedAtMs.splice(0, log.start);
  log.start = 0;
}
