import {
  LIMIT_SCOPES,
  scopeCountOf,
  tooManyAtOnceError,
  windowFullError,
  type LimitedCaller,
  type LimiterSettings,
  type LimitScope,
  type Permit,
  type RequestKind,
  type RequestLimit,
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

/** Aged-out times are dropped so many at a time: to move a long array for each request would cost more than the rest. */
const MOST_AGED_OUT = 1_024;

export type ProcessLimiter = ReturnType<typeof createProcessLimiter>;

/**
 * The limits held within this process: exact sliding logs in memory. It cannot count what other processes admit, so
 * it makes no statement about the requests that are left.
 */
export function createProcessLimiter(settings: LimiterSettings, now: () => number = () => performance.now()) {
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

  function refuseIfFull({ scope, limit }: ScopeLogs, log: Log, nowMs: number): void {
    const oldest = log.admittedAtMs[log.start];
    if (oldest !== undefined && log.admittedAtMs.length - log.start >= limit.requests)
      throw windowFullError(scope, settings, oldest + windowMs - nowMs);
    if (log.running >= limit.concurrent) throw tooManyAtOnceError(scope, settings);
  }

  function enter(
    caller: LimitedCaller,
    kind: RequestKind,
    mayEnter?: (scope: ScopeLogs, log: Log, nowMs: number) => void,
  ): Permit {
    const nowMs = now();
    dropIdle(nowMs);
    const logs = scopes.slice(0, scopeCountOf(kind)).map((scope) => {
      const log = logIn(scope, caller, nowMs);
      mayEnter?.(scope, log, nowMs);
      return log;
    });
    for (const log of logs) {
      log.admittedAtMs.push(nowMs);
      log.running++;
    }
    let left = false;
    return {
      headers: [],
      release() {
        if (!left) for (const log of logs) log.running--;
        left = true;
      },
    };
  }

  return {
    take: (caller: LimitedCaller, kind: RequestKind) =>
      Promise.resolve().then(() => enter(caller, kind, refuseIfFull)),
    isSlowButSure: () => false,
    /** Counts a request that was admitted elsewhere, whatever the limits say. */
    count: (caller: LimitedCaller, kind: RequestKind): Permit => enter(caller, kind),
  };
}

/** Drops what was admitted up to `untilMs`. */
function dropAgedOut(log: Log, untilMs: number): void {
  const { admittedAtMs } = log;
  while ((admittedAtMs[log.start] ?? Infinity) <= untilMs) log.start++;
  if (log.start < MOST_AGED_OUT && log.start < admittedAtMs.length) return;
  admittedAtMs.splice(0, log.start);
  log.start = 0;
}
