import {
  LIMIT_SCOPES,
  scopeCountOf,
  tooManyAtOnceError,
  toRateLimitHeaders,
  windowFullError,
  type LimitedCaller,
  type LimiterSettings,
  type LimitScope,
  type Permit,
  type RequestKind,
  type RequestLimit,
  type WindowState,
} from './request-limits';

interface ScopeLogs {
  scope: LimitScope;
  limit: RequestLimit;
  /** By key or account. */
  logs: Map<string, Log>;
}

interface Log {
  /** When the requests of the window were admitted, oldest first; those before `start` have aged out. */
  admittedAtMs: number[];
  start: number;
  running: number;
}

/** Aged-out times are dropped in batches: moving a long array for each request would cost more than the rest. */
const MOST_AGED_OUT = 1_024;

export type ProcessLimiter = ReturnType<typeof createProcessLimiter>;

interface ProcessLimiterOptions {
  /** No other process admits requests. */
  countsAll?: boolean;
  now?: () => number;
}

/**
 * Limits within this process: exact sliding logs in memory. It cannot count the admissions of other processes, so it
 * reports the remaining requests only if there are none.
 */
export function createProcessLimiter(
  settings: LimiterSettings,
  { countsAll = false, now = () => performance.now() }: ProcessLimiterOptions = {},
) {
  const { windowMs } = settings;
  const scopes = LIMIT_SCOPES.map((scope): ScopeLogs => ({ scope, limit: settings[scope], logs: new Map() }));
  let nextSweepAtMs = 0;

  function dropIdle(nowMs: number): void {
    if (nowMs < nextSweepAtMs) return;
    nextSweepAtMs = nowMs + windowMs;
    for (const { logs } of scopes) {
      for (const [id, log] of logs) {
        const newest = log.admittedAtMs.at(-1) ?? 0;
        if (log.running === 0 && newest + windowMs <= nowMs) logs.delete(id);
      }
    }
  }

  /** Never more than the window, despite rounding. */
  function untilAgedOut(admittedAtMs: number, nowMs: number): number {
    return windowMs - (nowMs - admittedAtMs);
  }

  function logIn({ scope, logs }: ScopeLogs, { apiKeyId, accountId }: LimitedCaller, nowMs: number): Log {
    const id = scope === 'key' ? apiKeyId : accountId;
    let log = logs.get(id);
    if (!log) {
      log = { admittedAtMs: [], start: 0, running: 0 };
      logs.set(id, log);
    }
    dropAgedOut(log, nowMs - windowMs);
    return log;
  }

  /** The reported state of the key's window, whose log is the first. */
  function stateOf([ofKey]: readonly Log[], nowMs: number): WindowState | undefined {
    if (!countsAll || !ofKey) return undefined;
    const { admittedAtMs, start } = ofKey;
    const limit = settings.key.requests;
    const oldestAtMs = admittedAtMs[start] ?? nowMs;
    return { limit, remaining: limit - countOf(ofKey), resetMs: untilAgedOut(oldestAtMs, nowMs) };
  }

  function refuseIfFull({ scope, limit }: ScopeLogs, log: Log, nowMs: number, logs: readonly Log[]): void {
    const oldest = log.admittedAtMs[log.start];
    if (oldest !== undefined && countOf(log) >= limit.requests)
      throw windowFullError(scope, settings, untilAgedOut(oldest, nowMs), stateOf(logs, nowMs));
    if (log.running >= limit.concurrent) throw tooManyAtOnceError(scope, settings, stateOf(logs, nowMs));
  }

  function enter(caller: LimitedCaller, kind: RequestKind, mayEnter?: typeof refuseIfFull): Permit {
    const nowMs = now();
    dropIdle(nowMs);
    const limiting = scopes.slice(0, scopeCountOf(kind));
    const logs = limiting.map((scope) => logIn(scope, caller, nowMs));
    for (const [at, scope] of limiting.entries()) {
      const log = logs[at];
      if (log) mayEnter?.(scope, log, nowMs, logs);
    }
    for (const log of logs) {
      log.admittedAtMs.push(nowMs);
      log.running++;
    }
    const state = stateOf(logs, nowMs);
    let left = false;
    return {
      headers: state ? toRateLimitHeaders(state) : [],
      window: state,
      release() {
        if (!left) for (const log of logs) log.running--;
        left = true;
      },
    };
  }

  return {
    take: (caller: LimitedCaller, kind: RequestKind) =>
      Promise.resolve().then(() => enter(caller, kind, refuseIfFull)),
    canAdmitEarly: () => false,
    /** Counts a request that was admitted elsewhere, regardless of the limits. */
    count: (caller: LimitedCaller, kind: RequestKind): Permit => enter(caller, kind),
  };
}

/** For the window. */
function countOf({ admittedAtMs, start }: Log): number {
  return admittedAtMs.length - start;
}

/** Drops admissions up to `untilMs`. */
function dropAgedOut(log: Log, untilMs: number): void {
  const { admittedAtMs } = log;
  while ((admittedAtMs[log.start] ?? Infinity) <= untilMs) log.start++;
  if (log.start < MOST_AGED_OUT && log.start < admittedAtMs.length) return;
  admittedAtMs.splice(0, log.start);
  log.start = 0;
}
