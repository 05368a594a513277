import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { RedisServer } from '@farebox/local-services';
import { standStill, startFaultProxy, startTestRedis, type FaultProxy } from '@farebox/testing';
import type { Redis } from 'ioredis';
import { connectRedis } from './redis-limiter';
import { createRedisCalls, type RedisCalls } from './redis-calls';
import type { RequestKind } from './request-limits';

const opened: Redis[] = [];
const proxies: FaultProxy[] = [];
const callers: RedisCalls[] = [];
/** One of these tests flushes its scripts. */
let server: RedisServer;
beforeAll(async () => {
  server = await startTestRedis();
});

async function connected(at = server.url): Promise<Redis> {
  const redis = connectRedis(at, () => undefined);
  opened.push(redis);
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
  return redis;
}

interface CallerSettings {
  timeoutMs?: number;
  at?: string;
  leaseMs?: number;
  concurrent?: number;
  key?: string;
}

async function aCaller({
  // More time than a busy machine needs.
  timeoutMs = 60_000,
  at = server.url,
  leaseMs = 60_000,
  concurrent = 100,
  key = randomUUID(),
}: CallerSettings = {}) {
  const [redis, watcher] = [await connected(at), await connected()];
  const limit = { requests: 100, concurrent };
  const wide = { requests: 100_000, concurrent: 100_000 };
  const settings = { windowMs: 60_000, key: limit, account: wide, free: wide };
  const calls = createRedisCalls({ redis, settings, timeoutMs, leaseMs });
  callers.push(calls);
  const take = (member: string, apiKeyId = key, kind: RequestKind = 'paid') =>
    calls.take({ apiKeyId, accountId: `account of ${apiKeyId}` }, kind, member);
  return { redis, watcher, calls, take, key, running: () => watcher.zcard(`farebox:limit:running:${key}`) };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

afterAll(async () => {
  for (const calls of callers) calls.close();
  for (const redis of opened) redis.disconnect();
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await server.remove();
});

describe('the calls to Redis', () => {
  it('free ended permits before they decide the requests of the same call', async () => {
    const { calls, take, running } = await aCaller();
    await take('first');
    calls.release('first');
    await take('second');
    expect(await running()).toBe(1);
  });

  it('fail in time if Redis hangs, refuse at once until it replies, and release late permits', async () => {
    const proxy = await startFaultProxy(server.port);
    proxies.push(proxy);
    const { calls, take, running } = await aCaller({ timeoutMs: 1_000, at: proxy.through(server.url) });
    const isAdmitted = (member: string) =>
      take(member).then(
        ({ outcome }) => outcome === 'admitted',
        () => false,
      );
    await until(() => isAdmitted('before'));
    proxy.toClient.set({ kind: 'hold' });
    await expect(take('late')).rejects.toThrow('in time');
    await expect(take('later')).rejects.toThrow('has not answered');
    calls.release('before');
    proxy.toClient.set({ kind: 'none' });
    await until(async () => (await running()) === 0);
    // Late replies of Redis come first, and until they arrive Redis is not asked.
    await until(() => isAdmitted('after'));
  });

  it('do not mistake a stalled process for a late Redis', async () => {
    const { take: patient } = await aCaller();
    await patient('before');
    const { take } = await aCaller({ timeoutMs: 2 });
    const decision = take('asked');
    // The call leaves at the end of this turn, and is answered long before the next one.
    setImmediate(() => standStill(1_000));
    expect(await decision).toMatchObject({ outcome: 'admitted' });
  });

  it('repeat the report that a lost connection dropped', async () => {
    const { redis, calls, take, running } = await aCaller();
    await take('first');
    const closed = once(redis, 'close');
    redis.disconnect(true);
    calls.release('first');
    await expect(take('second')).rejects.toThrow();
    await closed;
    await once(redis, 'ready');
    await take('third');
    expect(await running()).toBe(1);
  });

  it('continue when Redis refuses, and when it has lost the script', async () => {
    const { redis, watcher, take, key } = await aCaller();
    await watcher.script('FLUSH');
    expect((await take('first')).key.count).toBe(1);
    await redis.set(`farebox:limit:log:${key}`, 'no sorted set');
    await expect(take('second')).rejects.toThrow('WRONGTYPE');
    await redis.del(`farebox:limit:log:${key}`);
    expect((await take('third')).key.count).toBe(1);
  });
});

describe('the lease of a running request', () => {
  /** A machine may stall for two thirds of it between two renewals. */
  const LEASE_MS = 6_000;
  const LONGER_THAN_LEASE_MS = 1.5 * LEASE_MS;
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const outcomeOf = async ({ take }: Awaited<ReturnType<typeof aCaller>>, member: string) =>
    (await take(member)).outcome;

  it('is renewed while its process runs, and ends with the process', async () => {
    const one = await aCaller({ leaseMs: LEASE_MS, concurrent: 2 });
    const other = await aCaller({ leaseMs: LEASE_MS, concurrent: 2, key: one.key });
    expect([await outcomeOf(one, 'first'), await outcomeOf(one, 'second')]).toEqual(['admitted', 'admitted']);
    await sleep(LONGER_THAN_LEASE_MS);
    expect(await outcomeOf(other, 'third')).toBe('too_many_at_once');
    one.calls.release('first');
    await until(async () => (await outcomeOf(other, 'third')) === 'admitted');
    expect(await outcomeOf(other, 'fourth')).toBe('too_many_at_once');
    // As if the process was killed.
    one.calls.close();
    await until(async () => (await outcomeOf(other, 'fourth')) === 'admitted');
    expect(await one.running()).toBe(2);
  });

  it('is taken again by a process that was away for longer, for what still runs', async () => {
    const proxy = await startFaultProxy(server.port);
    proxies.push(proxy);
    const away = await aCaller({ at: proxy.through(server.url), leaseMs: LEASE_MS, concurrent: 2 });
    const other = await aCaller({ leaseMs: LEASE_MS, concurrent: 2, key: away.key });
    await outcomeOf(away, 'over');
    await outcomeOf(away, 'still');
    proxy.toTarget.set({ kind: 'hold' });
    await until(async () => (await outcomeOf(other, 'third')) === 'admitted');
    away.calls.release('over');
    proxy.toTarget.set({ kind: 'none' });
    await until(async () => (await away.running()) === 2);
    expect(await outcomeOf(other, 'fourth')).toBe('too_many_at_once');
  });

  it('is renewed with those of many others, in bounded calls', async () => {
    const { take, running } = await aCaller({ leaseMs: LEASE_MS, concurrent: 10_000 });
    const many = Array.from({ length: 99 }, (_, i) => String(i));
    await Promise.all(many.map((member) => take(member)));
    const keys = Array.from({ length: 15 }, () => randomUUID());
    await Promise.all(keys.flatMap((other) => many.map((member) => take(`${other}${member}`, other))));
    await sleep(LONGER_THAN_LEASE_MS);
    expect((await take('last')).outcome).toBe('admitted');
    expect(await running()).toBe(100);
  });
});

it('a clock of Redis that was set back an hour blocks a key for a window or a lease, and no longer', async () => {
  const { take, watcher, key, running } = await aCaller({ concurrent: 3, leaseMs: 400 });
  const [seconds] = await watcher.time();
  const inAnHourMs = (Number(seconds) + 3_600) * 1_000;
  for (let i = 0; i < 3; i++) {
    await watcher.zadd(`farebox:limit:log:${key}`, inAnHourMs, `before ${String(i)}`);
    await watcher.zadd(`farebox:limit:running:${key}`, inAnHourMs, `before ${String(i)}`);
  }
  const { outcome, key: ofKey, resetMs } = await take('first');
  expect([outcome, ofKey.count]).toEqual(['too_many_at_once', 3]);
  expect(resetMs).toBeLessThanOrEqual(60_000);
  await until(async () => (await take('next')).outcome === 'admitted');
  expect(await running()).toBe(1);
});
