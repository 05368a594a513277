import { randomUUID } from 'node:crypto';
import { tooManyAtOnceError, toRateLimitHeaders, windowFullError, type WindowState } from './limit-state';
import type { ProcessLimiter } from './process-limiter';
import { createRedisCalls, type RedisCallsOptions, type RedisDecision } from './redis-calls';
import type { Place, RequestLimiter } from './request-limiter';

export interface RedisLimiterOptions extends RedisCallsOptions {
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
    try {
      const decision = await calls.take(apiKeyId, member);
      noteAvailability(true);
      return decision;
    } catch (error) {
      noteAvailability(false, error);
      return undefined;
    }
  }

  async function take(apiKeyId: string): Promise<Place> {
    const member = newMember();
    const decision = await decide(apiKeyId, member);
    if (!decision) return standIn.take(apiKeyId);
    const state = stateOf(decision);
    if (decision.outcome === 'window_full') throw windowFullError(decision.resetMs, state);
    if (decision.outcome === 'too_many_at_once') throw tooManyAtOnceError(state);

    let local: Place;
    try {
      local = state ? standIn.count(apiKeyId) : await standIn.take(apiKeyId);
    } catch (error) {
      calls.leave(apiKeyId, member);
      throw error;
    }
    return {
      headers: state ? toRateLimitHeaders(state) : [],
      leave() {
        local.leave();
        calls.leave(apiKeyId, member);
      },
    };
  }

  return {
    take,
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
