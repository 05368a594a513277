import { randomUUID } from 'node:crypto';
import { ApiError } from '@farebox/errors';
import type { RedisServer } from '@farebox/local-services';
import { startTestRedis, waitUntil } from '@farebox/testing';
import type { Redis } from 'ioredis';
import { connectRedis, createRedisLimiter } from './redis-limiter';
import { createProcessLimiter } from './process-limiter';
import { toLimiterSettings, type RequestKind, type RequestLimiter } from './request-limits';

const settings = { requests: 5, windowMs: 60_000, concurrent: 3 };
const of = (apiKeyId: string, accountId = `account of ${apiKeyId}`) => ({ apiKeyId, accountId });
const opened: Redis[] = [];

/** One of these tests flushes it. */
let server: RedisServer;
beforeAll(async () => {
  server = await startTestRedis();
});

function aLimiter(
  url = server.url,
  more: Partial<typeof settings> = {},
  own: Parameters<typeof toLimiterSettings>[1] = {},
) {
  const changes: (boolean | 'memory lost')[] = [];
  const redis = connectRedis(url, () => undefined);
  opened.push(redis);
  const all = toLimiterSettings({ ...settings, ...more }, own);
  const limiter = createRedisLimiter({
    redis,
    settings: all,
    standIn: createProcessLimiter(all),
    // More time than a busy machine needs: late decisions are made without Redis.
    timeoutMs: 60_000,
    leaseMs: 60_000,
    onChange: (isAvailable) => changes.push(isAvailable),
    onMemoryLost: () => changes.push('memory lost'),
  });
  return { limiter, redis, changes };
}

async function ready(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
}

/** By the clock of Redis, which the limit uses. */
async function timeOf(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

async function outcomes(
  limiter: RequestLimiter,
  key: string,
  count: number,
  release = true,
): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      try {
        const permit = await limiter.take(of(key), 'paid');
        if (release) permit.release();
        return 'ok';
      } catch (error) {
        return error instanceof ApiError ? error.code : 'broken';
      }
    }),
  );
}

afterAll(async () => {
  for (const redis of opened) redis.disconnect();
  await server.remove();
});

describe('the limit in Redis', () => {
  it('is exact over two processes', async () => {
    const [one, two] = [aLimiter(undefined, { concurrent: 100 }), aLimiter(undefined, { concurrent: 100 })];
    await Promise.all([ready(one.redis), ready(two.redis)]);
    const key = randomUUID();
    const all = await Promise.all([outcomes(one.limiter, key, 20), outcomes(two.limiter, key, 20)]);
    expect(all.flat().filter((outcome) => outcome === 'ok')).toHaveLength(5);
    expect(all.flat().filter((outcome) => outcome === 'rate_limit_error')).toHaveLength(35);
  });

  it('has correct headers, on success and on refusal', async () => {
    const { limiter, redis } = aLimiter(undefined, { requests: 2 });
    await ready(redis);
    const key = randomUUID();
    const beganAtMs = await timeOf(redis);
    const first = new Map((await limiter.take(of(key), 'paid')).headers);
    const second = new Map((await limiter.take(of(key), 'paid')).headers);
    const remaining = 'X-RateLimit-Remaining-Requests';
    expect([first.get(remaining), second.get(remaining)]).toEqual(['1', '0']);
    expect(first.get('X-RateLimit-Limit-Requests')).toBe('2');
    const refusal = await limiter.take(of(key), 'paid').catch((error: unknown) => error);
    if (!(refusal instanceof ApiError)) throw new Error('it was not refused');
    const tookSeconds = ((await timeOf(redis)) - beganAtMs) / 1_000;
    const told = new Map(refusal.headers);
    expect(told.get(remaining)).toBe('0');
    const resetSeconds = Number(told.get('X-RateLimit-Reset-Requests'));
    expect(resetSeconds).toBeGreaterThanOrEqual(60 - tookSeconds);
    expect(resetSeconds).toBeLessThanOrEqual(60);
    expect(refusal.retryAfterSeconds).toBe(resetSeconds);
  });

  it('bounds concurrent requests, and a refused request takes no permit', async () => {
    const { limiter, redis } = aLimiter();
    await ready(redis);
    const key = randomUUID();
    expect((await outcomes(limiter, key, 10, false)).filter((outcome) => outcome === 'ok')).toHaveLength(3);
    expect(await redis.zcard(`farebox:limit:log:${key}`)).toBe(3);
  });

  it('is exact over two processes for all keys of an account together, and names the limit', async () => {
    const own = { account: { requests: 7, concurrent: 100 } };
    const [one, two] = [
      aLimiter(undefined, { concurrent: 100 }, own),
      aLimiter(undefined, { concurrent: 100 }, own),
    ];
    await Promise.all([ready(one.redis), ready(two.redis)]);
    const account = randomUUID();
    const [first, second] = [of(randomUUID(), account), of(randomUUID(), account)];
    const take = ({ limiter }: typeof one, caller: typeof first) =>
      Promise.allSettled(Array.from({ length: 5 }, () => limiter.take(caller, 'paid')));
    const all = (await Promise.all([take(one, first), take(two, second)])).flat();
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    const [refused] = all.filter((result) => result.status === 'rejected');
    const { publicMessage, headers } = refused?.reason as ApiError;
    expect(publicMessage).toContain('This account has reached its limit of 7 requests by all of its keys');
    // The headers are those of the key.
    expect(new Map(headers).get('X-RateLimit-Limit-Requests')).toBe('5');
  });

  it('bounds the concurrent requests of all keys of an account, and has room again when one ends', async () => {
    const { limiter, redis } = aLimiter(undefined, {}, { account: { concurrent: 4 } });
    await ready(redis);
    const account = randomUUID();
    const permits = [];
    for (let i = 0; i < 4; i++) permits.push(await limiter.take(of(randomUUID(), account), 'paid'));
    const next = of(randomUUID(), account);
    await expect(limiter.take(next, 'paid')).rejects.toMatchObject({
      publicMessage: expect.stringContaining('limit of 4 requests by all of its keys') as string,
    });
    // A refused request has left no trace in any of its scopes.
    expect(await redis.exists(`farebox:limit:log:${next.apiKeyId}`)).toBe(0);
    expect(await redis.zcard(`farebox:limit:log:account:${account}`)).toBe(4);
    permits[0]?.release();
    (await limiter.take(next, 'paid')).release();
  });

  it('bounds free requests separately from paid ones', async () => {
    const { limiter, redis } = aLimiter(undefined, {}, { free: { requests: 2 } });
    await ready(redis);
    const account = randomUUID();
    const take = async (kind: RequestKind): Promise<void> => {
      (await limiter.take(of(randomUUID(), account), kind)).release();
    };
    await take('free');
    await take('free');
    await expect(take('free')).rejects.toMatchObject({
      publicMessage: expect.stringContaining('limit of 2 requests that are free') as string,
    });
    await take('paid');
  });

  it('has a sliding window', async () => {
    const { limiter, redis } = aLimiter(undefined, { requests: 1, windowMs: 300 });
    await ready(redis);
    const key = randomUUID();
    expect(await outcomes(limiter, key, 2)).toEqual(['ok', 'rate_limit_error']);
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(await outcomes(limiter, key, 1)).toEqual(['ok']);
  });

  it('is held by the process, without headers, after Redis has lost its memory', async () => {
    const { limiter, redis, changes } = aLimiter();
    await ready(redis);
    const key = randomUUID();
    expect(await outcomes(limiter, key, 3)).toEqual(['ok', 'ok', 'ok']);
    await redis.flushdb();
    const permit = await limiter.take(of(key), 'paid');
    permit.release();
    expect(permit.headers).toEqual([]);
    expect(await outcomes(limiter, key, 3)).toEqual(['ok', 'rate_limit_error', 'rate_limit_error']);
    expect(changes).toEqual(['memory lost']);
  });

  it('is held by the process, without headers, if Redis is not available', async () => {
    const { limiter, changes } = aLimiter('redis://127.0.0.1:9', { concurrent: 100 });
    const permit = await limiter.take(of('key'), 'paid');
    expect(permit.headers).toEqual([]);
    permit.release();
    expect((await outcomes(limiter, 'key', 6)).filter((outcome) => outcome === 'ok')).toHaveLength(4);
    expect(changes).toEqual([false]);
  });

  it('is almost certain to admit until a request of the key is refused, and again a window later', async () => {
    const { limiter, redis } = aLimiter(undefined, { requests: 1, windowMs: 300 });
    await ready(redis);
    const [key, other] = [randomUUID(), randomUUID()];
    expect(limiter.canAdmitEarly(of(key))).toBe(true);
    expect(await outcomes(limiter, key, 2)).toEqual(['ok', 'rate_limit_error']);
    // The released permit is reported first.
    await waitUntil(() => limiter.canAdmitEarly(of(other)), 'nothing is asked');
    expect(limiter.canAdmitEarly(of(key))).toBe(false);
    await waitUntil(() => limiter.canAdmitEarly(of(key)), 'the refusal is forgotten');
    expect(await outcomes(limiter, key, 1)).toEqual(['ok']);
  });

  it("is almost certain to admit concurrent requests for the first half of the key's limit", async () => {
    const { limiter, redis } = aLimiter(undefined, { requests: 100, concurrent: 6 });
    await ready(redis);
    const key = randomUUID();
    const permits = await Promise.all([limiter.take(of(key), 'paid'), limiter.take(of(key), 'paid')]);
    const [third, fourth] = [limiter.take(of(key), 'paid'), limiter.take(of(key), 'paid')];
    expect(limiter.canAdmitEarly(of(key))).toBe(false);
    for (const permit of [...permits, ...(await Promise.all([third, fourth]))]) permit.release();
    // The ended permit is reported with the next one.
    (await limiter.take(of(key), 'paid')).release();
    const last = limiter.take(of(key), 'paid');
    expect(limiter.canAdmitEarly(of(key))).toBe(true);
    (await last).release();
  });

  it('is not certain to admit without Redis or after Redis has lost its memory', async () => {
    const { limiter: alone } = aLimiter('redis://127.0.0.1:9');
    (await alone.take(of('key'), 'paid')).release();
    expect(alone.canAdmitEarly(of('key'))).toBe(false);
    const { limiter, redis } = aLimiter();
    await ready(redis);
    const key = randomUUID();
    (await limiter.take(of(key), 'paid')).release();
    expect(limiter.canAdmitEarly(of(key))).toBe(true);
    await redis.flushdb();
    (await limiter.take(of(key), 'paid')).release();
    expect(limiter.canAdmitEarly(of(key))).toBe(false);
  });
});
