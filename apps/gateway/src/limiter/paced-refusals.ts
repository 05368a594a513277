import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@farebox/errors';
import { TokenBuckets } from '@farebox/flow';
import type { LimitedCaller, RequestKind, RequestLimiter } from './request-limits';

/** More than a client that obeys `Retry-After` is ever refused. */
const PER_SECOND = 50;
const BURST = 50;
/** Accounts whose pace is remembered. */
const MOST_ACCOUNTS = 10_000;
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
  const pace = new TokenBuckets({ burst: BURST, perSecond: PER_SECOND, mostOwners: MOST_ACCOUNTS }, now);

  return {
    async take(caller: LimitedCaller, kind: RequestKind) {
      try {
        return await limiter.take(caller, kind);
      } catch (error) {
        if (error instanceof ApiError && error.status === 429) {
          const waitMs = pace.take(caller.accountId, LONGEST_MS) ?? LONGEST_MS;
          if (waitMs > 0) await wait(waitMs);
        }
        throw error;
      }
    },
    canAdmitEarly: (caller) => limiter.canAdmitEarly(caller),
  };
}
