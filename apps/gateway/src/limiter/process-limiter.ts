import { tooManyAtOnceError, windowFullError } from './limit-state';
import type { LimiterSettings, Place, RequestLimiter } from './request-limiter';

interface KeyLog {
  /** When the requests of the window were admitted, oldest first. */
  admittedAtMs: number[];
  running: number;
}

export interface ProcessLimiter extends RequestLimiter {
  /** Counts a request that was admitted elsewhere, whatever the limit says. */
  count(apiKeyId: string): Place;
}

/**
 * The limit held within this process: an exact sliding log in memory. It cannot count what other processes admit, so
 * it makes no statement about the requests that are left.
 */
export function createProcessLimiter(
  settings: LimiterSettings,
  now: () => number = Date.now,
): ProcessLimiter {
  const logs = new Map<string, KeyLog>();
  let nextSweepAtMs = 0;

  function forgetIdleKeys(nowMs: number): void {
    if (nowMs < nextSweepAtMs) return;
    nextSweepAtMs = nowMs + settings.windowMs;
    for (const [key, log] of logs) {
      const newest = log.admittedAtMs.at(-1) ?? 0;
      if (log.running === 0 && newest + settings.windowMs <= nowMs) logs.delete(key);
    }
  }

  function logOf(apiKeyId: string, nowMs: number): KeyLog {
    forgetIdleKeys(nowMs);
    const log = logs.get(apiKeyId) ?? { admittedAtMs: [], running: 0 };
    logs.set(apiKeyId, log);
    const firstInWindow = log.admittedAtMs.findIndex((atMs) => atMs + settings.windowMs > nowMs);
    log.admittedAtMs.splice(0, firstInWindow < 0 ? log.admittedAtMs.length : firstInWindow);
    return log;
  }

  function enter(log: KeyLog, nowMs: number): Place {
    log.admittedAtMs.push(nowMs);
    log.running++;
    let left = false;
    return {
      headers: [],
      leave() {
        if (!left) log.running--;
        left = true;
      },
    };
  }

  function take(apiKeyId: string): Place {
    const nowMs = now();
    const log = logOf(apiKeyId, nowMs);
    const [oldest] = log.admittedAtMs;
    if (oldest !== undefined && log.admittedAtMs.length >= settings.requests) {
      throw windowFullError(oldest + settings.windowMs - nowMs);
    }
    if (log.running >= settings.concurrent) throw tooManyAtOnceError();
    return enter(log, nowMs);
  }

  return {
    take: (apiKeyId) => Promise.resolve().then(() => take(apiKeyId)),
    count(apiKeyId) {
      const nowMs = now();
      return enter(logOf(apiKeyId, nowMs), nowMs);
    },
  };
}
