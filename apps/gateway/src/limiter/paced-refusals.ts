import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@farebox/errors';
import type { LimitedCaller, RequestKind, RequestLimiter } from './request-limits';

/** More than a client that obeys `Retry-After` is ever refused. */
const PER_SECOND = 50;
const BURST = 50;
/** Longest delay of a refusal. */
const LONGEST_MS = 2_000;

interface PacedRefusalsOptions {
  now?: () => number;
  wait?: (ms: number) => Promise<unknown>;
}

/**
 * A limiter that delays refusals for an account that exceeds this pace. A refusal costs the customer nothing but
 * takes the process a millisecond, which clients that retry at once would take from everybody else.
 */
export function paceRefusals(
  limiter: RequestLimiter,
  {
    now = () => performance.now(),
    wait = (ms) => sleep(ms, undefined, { ref: false }),
  }: PacedRefusalsOptions = {},
): RequestLimiter {
  /** When an account's pace has fully recovered. Source: the generic cell rate algorithm, ITU-T I.371. */
  const settledAtMs = new Map<string, number>();
  let nextSweepAtMs = 0;

  function forgetSettled(nowMs: number): void {
    if (nowMs < nextSweepAtMs) return;
    nextSweepAtMs = nowMs + LONGEST_MS;
    for (const [accountId, atMs] of settledAtMs) if (atMs <= nowMs) settledAtMs.delete(accountId);
  }

  /** Delay of an account's next refusal. */
  function nextWaitMs(accountId: string): number {
    const nowMs = now();
    forgetSettled(nowMs);
    const settled = Math.max(nowMs, settledAtMs.get(accountId) ?? nowMs) + 1_000 / PER_SECOND;
    const waitMs = settled - nowMs - (1_000 * BURST) / PER_SECOND;
    if (waitMs > LONGEST_MS) return LONGEST_MS;
    settledAtMs.set(accountId, settled);
    return Math.max(0, waitMs);
  }

  return {
    async take(caller: LimitedCaller, kind: RequestKind) {
      try {
        return await limiter.take(caller, kind);
      } catch (error) {
        const waitMs = error instanceof ApiError && error.status === 429 ? nextWaitMs(caller.accountId) : 0;
        if (waitMs > 0) await wait(waitMs);
        throw error;
      }
    },
    canAdmitEarly: (caller) => limiter.canAdmitEarly(caller),
  };
}
