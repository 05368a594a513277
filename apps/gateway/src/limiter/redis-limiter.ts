import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createKnownRoom } from './known-room';
import {
  tooManyAtOnceError,
  toRateLimitHeaders,
  windowFullError,
  type ProcessLimiter,
  type Permit,
  type RequestLimiter,
  type WindowState,
} from './process-limiter';
import { createRedisCalls, type RedisCallsOptions, type RedisDecision } from './redis-calls';

interface RedisLimiterOptions extends RedisCallsOptions {
  /** Holds the limit while Redis cannot, and knows what this process admitted before that. */
  standIn: ProcessLimiter;
  /** Told when Redis can no longer hold the limit, and when it can again. */
  onChange: (isAvailable: boolean, error?: unknown) => void;
  /** Told when Redis has forgotten what it had counted. */
  onMemoryLost: () => void;
  /** Never set back. */
  now?: () => number;
}

/**
 * The limit over all processes: an exact sliding log in Redis. If Redis is slow, down or has just lost its memory,
 * the limit is held by this process alone, no header makes a statement, and no request fails for it.
 */
export function createRedisLimiter(options: RedisLimiterOptions): RequestLimiter & { close(): void } {
  const { settings, standIn, onChange, onMemoryLost, now = () => performance.now() } = options;
  const calls = createRedisCalls(options);
  const room = createKnownRoom(settings, now);
  const newMember = memberSource();
  let lastEpoch: string | undefined;
  let partialUntilMs = 0;
  let isAvailable = true;

  /** What Redis knows of the key's window; nothing if it lost its memory within the last one. */
  function stateOf({ epoch, count, resetMs }: RedisDecision): WindowState | undefined {
    if (lastEpoch !== undefined && lastEpoch !== epoch) {
      partialUntilMs = now() + settings.windowMs;
      onMemoryLost();
    }
    lastEpoch = epoch;
    if (now() < partialUntilMs) return undefined;
    return { limit: settings.requests, remaining: settings.requests - count, resetMs };
  }

  function noteAvailability(answers: boolean, error?: unknown): void {
    if (isAvailable === answers) return;
    isAvailable = answers;
    onChange(answers, error);
  }

  async function decide(apiKeyId: string, member: string): Promise<RedisDecision | undefined> {
    let decision: RedisDecision | undefined;
    room.asked(apiKeyId);
    try {
      decision = await calls.take(apiKeyId, member);
      noteAvailability(true);
    } catch (error) {
      noteAvailability(false, error);
    }
    room.answered(apiKeyId, decision);
    return decision;
  }

  async function take(apiKeyId: string): Promise<Permit> {
    const member = newMember();
    const decision = await decide(apiKeyId, member);
    if (!decision) return standIn.take(apiKeyId);
    const state = stateOf(decision);
    if (decision.outcome === 'window_full') throw windowFullError(settings, decision.resetMs, state);
    if (decision.outcome === 'too_many_at_once') throw tooManyAtOnceError(settings, state);

    let local: Permit;
    try {
      local = state ? standIn.count(apiKeyId) : await standIn.take(apiKeyId);
    } catch (error) {
      calls.release(apiKeyId, member);
      throw error;
    }
    return {
      headers: state ? toRateLimitHeaders(state) : [],
      release() {
        local.release();
        calls.release(apiKeyId, member);
      },
    };
  }

  return {
    take,
    // Where Redis has lost its memory, the stand-in may refuse what it admits.
    isSlowButSure: (apiKeyId) => isAvailable && now() >= partialUntilMs && room.isAsGoodAsSure(apiKeyId),
    close() {
      calls.close();
    },
  };
}

/** Names for requests that no other process gives. */
function memberSource(): () => string {
  const process = randomUUID();
  let count = 0;
  return () => `${process}:${(count++).toString(36)}`;
}

const CONNECT_TIMEOUT_MS = 1_000;
/** A connection on which a command has no answer for so long is given up, and opened again. */
const SILENCE_TIMEOUT_MS = 2_000;
const LONGEST_RECONNECT_PAUSE_MS = 1_000;

/** A client whose commands fail at once while there is no connection, and which connects again by itself. */
export function connectRedis(url: string, onError: (error: unknown) => void): Redis {
  const redis = new Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(LONGEST_RECONNECT_PAUSE_MS, 50 * attempt),
  });
  redis.on('error', onError);
  return redis;
}
