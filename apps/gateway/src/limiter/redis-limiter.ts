import { randomUUID } from 'node:crypto';
import { openRedis } from '@farebox/jobs';
import type { Redis } from 'ioredis';
import { createKnownRoom } from './known-room';
import type { ProcessLimiter } from './process-limiter';
import { createRedisCalls, type RedisCallsOptions, type RedisDecision } from './redis-calls';
import {
  tooManyAtOnceError,
  toRateLimitHeaders,
  windowFullError,
  type LimitedCaller,
  type Permit,
  type RequestKind,
  type RequestLimiter,
  type WindowState,
} from './request-limits';

interface RedisLimiterOptions extends RedisCallsOptions {
  /** Holds the limit while Redis cannot, and knows what this process admitted before. */
  standIn: ProcessLimiter;
  /** Called when Redis can no longer hold the limit, and when it can again. */
  onChange: (isAvailable: boolean, error?: unknown) => void;
  /** Called when Redis has lost its counts, or some of them: another server may have taken over. */
  onMemoryLost: () => void;
  /** Monotonic. */
  now?: () => number;
}

/**
 * The limits over all processes: exact sliding logs in Redis. If Redis is slow, down or has just lost its memory,
 * this process holds the limit alone, no header reports it, and no request fails because of that.
 */
export function createRedisLimiter(options: RedisLimiterOptions): RequestLimiter & { close(): void } {
  const { settings, standIn, onChange, onMemoryLost, now = () => performance.now() } = options;
  const calls = createRedisCalls(options);
  const room = createKnownRoom(settings, now);
  const newMember = memberSource();
  let lastEpoch: string | undefined;
  let partialUntilMs = 0;
  let isAvailable = true;

  /** The key's window in Redis; undefined if Redis lost its memory within the last window. */
  function stateOf({ epoch, key, resetMs }: RedisDecision): WindowState | undefined {
    if (lastEpoch !== undefined && lastEpoch !== epoch) {
      partialUntilMs = now() + settings.windowMs;
      onMemoryLost();
    }
    lastEpoch = epoch;
    if (now() < partialUntilMs) return undefined;
    const { requests } = settings.key;
    return { limit: requests, remaining: requests - key.count, resetMs };
  }

  function noteAvailability(answers: boolean, error?: unknown): void {
    if (isAvailable === answers) return;
    isAvailable = answers;
    onChange(answers, error);
  }

  async function decide(
    caller: LimitedCaller,
    kind: RequestKind,
    member: string,
  ): Promise<RedisDecision | undefined> {
    let decision: RedisDecision | undefined;
    room.asked(caller);
    try {
      decision = await calls.take(caller, kind, member);
      noteAvailability(true);
    } catch (error) {
      noteAvailability(false, error);
    }
    room.answered(caller, decision);
    return decision;
  }

  async function take(caller: LimitedCaller, kind: RequestKind): Promise<Permit> {
    const member = newMember();
    const decision = await decide(caller, kind, member);
    if (!decision) return standIn.take(caller, kind);
    const state = stateOf(decision);
    const { outcome, refusedBy, retryAfterMs } = decision;
    if (refusedBy && outcome === 'window_full')
      throw windowFullError(refusedBy, settings, retryAfterMs, state);
    if (refusedBy) throw tooManyAtOnceError(refusedBy, settings, state);

    let local: Permit;
    try {
      local = state ? standIn.count(caller, kind) : await standIn.take(caller, kind);
    } catch (error) {
      calls.release(member);
      throw error;
    }
    return {
      headers: state ? toRateLimitHeaders(state) : [],
      window: state,
      release() {
        local.release();
        calls.release(member);
      },
    };
  }

  return {
    take,
    // If Redis has lost its memory, the stand-in may refuse a request that Redis admits.
    canAdmitEarly: (caller) => isAvailable && now() >= partialUntilMs && room.likelyHasRoom(caller),
    close() {
      calls.close();
    },
  };
}

/** Names of requests that are unique to this process. */
function memberSource(): () => string {
  const process = randomUUID();
  let count = 0;
  return () => `${process}:${(count++).toString(36)}`;
}

const CONNECT_TIMEOUT_MS = 1_000;
/** A connection on which a command has no reply for this long is closed and opened again. */
const SILENCE_TIMEOUT_MS = 2_000;
const LONGEST_RECONNECT_PAUSE_MS = 1_000;

/** A client whose commands fail at once without a connection, and which reconnects by itself. */
export function connectRedis(url: string, onError: (error: unknown) => void): Redis {
  const redis = openRedis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(LONGEST_RECONNECT_PAUSE_MS, 50 * attempt),
  });
  redis.on('error', onError);
  return redis;
}
