import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { startFaultProxy, testRedisUrl, type FaultProxy } from '@farebox/testing';
import type { Redis } from 'ioredis';
import { connectRedis } from './connect-redis';
import { createRedisCalls } from './redis-calls';

const opened: Redis[] = [];
const proxies: FaultProxy[] = [];
const url = `${testRedisUrl()}/8`;

async function connected(at = url): Promise<Redis> {
  const redis = connectRedis(at, () => undefined);
  opened.push(redis);
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
  return redis;
}

async function aCaller(timeoutMs = 2_000, at = url) {
  const [redis, watcher] = [await connected(at), await connected()];
  const settings = { requests: 100, windowMs: 60_000, concurrent: 100 };
  const calls = createRedisCalls({ redis, settings, timeoutMs, leaseMs: 60_000 });
  const key = randomUUID();
  return { redis, watcher, calls, key, running: () => watcher.zcard(`farebox:limit:running:${key}`) };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

afterAll(async () => {
  for (const redis of opened) redis.disconnect();
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

describe('the calls to Redis', () => {
  it('make a place free before they decide of those who ask in the same call', async () => {
    const { calls, key, running } = await aCaller();
    await calls.take(key, 'first');
    calls.leave(key, 'first');
    await calls.take(key, 'second');
    expect(await running()).toBe(1);
  });

  it('fail in time where Redis hangs, refuse at once as long as it does, and leave what was given late', async () => {
    const proxy = await startFaultProxy(Number(new URL(url).port));
    proxies.push(proxy);
    const { calls, key, running } = await aCaller(50, proxy.through(url));
    await calls.take(key, 'before');
    proxy.toClient.set({ kind: 'hold' });
    await expect(calls.take(key, 'late')).rejects.toThrow('in time');
    await expect(calls.take(key, 'later')).rejects.toThrow('has not answered');
    calls.leave(key, 'before');
    proxy.toClient.set({ kind: 'none' });
    await until(async () => (await running()) === 0);
    expect((await calls.take(key, 'after')).outcome).toBe('admitted');
  });

  it('tell again what a lost connection swallowed', async () => {
    const { redis, calls, key, running } = await aCaller();
    await calls.take(key, 'first');
    const closed = once(redis, 'close');
    redis.disconnect(true);
    calls.leave(key, 'first');
    await expect(calls.take(key, 'second')).rejects.toThrow();
    await closed;
    await once(redis, 'ready');
    await calls.take(key, 'third');
    expect(await running()).toBe(1);
  });

  it('go on when Redis refuses, and when it has forgotten the script', async () => {
    const { redis, watcher, calls, key } = await aCaller();
    await watcher.script('FLUSH');
    expect((await calls.take(key, 'first')).count).toBe(1);
    await redis.set(`farebox:limit:log:${key}`, 'no sorted set');
    await expect(calls.take(key, 'second')).rejects.toThrow('WRONGTYPE');
    await redis.del(`farebox:limit:log:${key}`);
    expect((await calls.take(key, 'third')).count).toBe(1);
  });
});
