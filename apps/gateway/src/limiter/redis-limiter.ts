import { createHash, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { tooManyAtOnceError, toRateLimitHeaders, windowFullError, type WindowState } from './limit-state';
import type { ProcessLimiter } from './process-limiter';
import { TAKE_SCRIPT } from './redis-script';
import type { LimiterSettings, Place, RequestLimiter } from './request-limiter';

export interface RedisLimiterOptions {
  redis: Redis;
  settings: LimiterSettings;
  /** Holds the limit while Redis cannot, and knows what this process admitted before that. */
  standIn: ProcessLimiter;
  /** Longer than this a request does not wait for Redis. */
  timeoutMs: number;
  /** After this time a request that its process never reported as ended no longer counts as running. */
  leaseMs: number;
  /** Told when Redis can no longer hold the limit, and when it can again. */
  onChange: (isAvailable: boolean, error?: unknown) => void;
  now?: () => number;
}

interface Waiting {
  apiKeyId: string;
  member: string;
  resolve: (decision: Decision) => void;
  reject: (error: unknown) => void;
}

interface Decision {
  outcome: number;
  state: WindowState;
  /** Redis lost its memory a moment ago: its count is only a part. */
  isPartial: boolean;
}

const PREFIX = 'farebox:limit:';
const EPOCH_KEY = `${PREFIX}epoch`;
const SCRIPT_SHA = createHash('sha1').update(TAKE_SCRIPT).digest('hex');

/**
 * The limit over all processes: an exact sliding log in Redis. Everything that waits in this process is decided in one
 * call, and the next call leaves when the former has answered. Where Redis is slow, down or has just lost its memory,
 * the limit is held by this process alone, no header makes a statement, and no request fails for it.
 */
export function createRedisLimiter(options: RedisLimiterOptions): RequestLimiter {
  const { redis, settings, standIn, timeoutMs, leaseMs, onChange, now = Date.now } = options;
  let waiting: Waiting[] = [];
  let sending = false;
  let epoch: string | undefined;
  let partialUntilMs = 0;
  let isAvailable = true;

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        decide(batch, await callScript(batch));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    sending = false;
  }

  async function callScript(batch: Waiting[]): Promise<(string | number)[]> {
    const keys = [EPOCH_KEY, ...batch.flatMap(({ apiKeyId }) => keysOf(apiKeyId))];
    const { requests, windowMs, concurrent } = settings;
    const members = batch.map(({ member }) => member);
    const rest = [...keys, randomUUID(), requests, windowMs, concurrent, leaseMs, ...members];
    try {
      return (await redis.evalsha(SCRIPT_SHA, keys.length, ...rest)) as (string | number)[];
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return (await redis.eval(TAKE_SCRIPT, keys.length, ...rest)) as (string | number)[];
    }
  }

  function decide(batch: Waiting[], [seenEpoch, ...numbers]: (string | number)[]): void {
    if (epoch !== undefined && epoch !== seenEpoch) partialUntilMs = now() + settings.windowMs;
    epoch = String(seenEpoch);
    const isPartial = now() < partialUntilMs;
    batch.forEach(({ resolve }, i) => {
      const [outcome, count, resetMs] = numbers.slice(3 * i, 3 * i + 3).map(Number);
      if (outcome === undefined || count === undefined || resetMs === undefined)
        throw new Error('a decision is missing');
      const state = { limit: settings.requests, remaining: settings.requests - count, resetMs };
      resolve({ outcome, state, isPartial });
    });
  }

  function ask(apiKeyId: string, member: string): Promise<Decision> {
    return new Promise((resolve, reject) => {
      waiting.push({ apiKeyId, member, resolve, reject });
      if (sending) return;
      sending = true;
      queueMicrotask(() => void sendAll());
    });
  }

  function leave(apiKeyId: string, member: string): void {
    // Where this does not arrive, the lease ends it.
    redis.zrem(keysOf(apiKeyId)[1], member).catch(() => undefined);
  }

  function noteAvailability(answers: boolean, error?: unknown): void {
    if (isAvailable !== answers) onChange(answers, error);
    isAvailable = answers;
  }

  async function take(apiKeyId: string): Promise<Place> {
    const member = randomUUID();
    const asked = ask(apiKeyId, member);
    let decision: Decision;
    try {
      decision = await within(timeoutMs, asked);
      noteAvailability(true);
    } catch (error) {
      noteAvailability(false, error);
      asked.then(
        ({ outcome }) => {
          if (outcome === 0) leave(apiKeyId, member);
        },
        () => undefined,
      );
      return standIn.take(apiKeyId);
    }
    const { outcome, state, isPartial } = decision;
    const told = isPartial ? undefined : state;
    if (outcome === 1) throw windowFullError(state.resetMs, told);
    if (outcome === 2) throw tooManyAtOnceError(told);

    let local: Place;
    try {
      local = isPartial ? await standIn.take(apiKeyId) : standIn.count(apiKeyId);
    } catch (error) {
      leave(apiKeyId, member);
      throw error;
    }
    return {
      headers: told ? toRateLimitHeaders(told) : [],
      leave() {
        local.leave();
        leave(apiKeyId, member);
      },
    };
  }

  return { take };
}

function keysOf(apiKeyId: string): [log: string, running: string] {
  return [`${PREFIX}log:${apiKeyId}`, `${PREFIX}running:${apiKeyId}`];
}

async function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('Redis did not answer in time'));
    }, timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
