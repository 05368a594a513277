import { ApiError } from '@farebox/errors';
import { createProcessLimiter } from './process-limiter';
import type { LimiterSettings, RequestKind } from './request-limits';

const settings: LimiterSettings = {
  windowMs: 60_000,
  key: { requests: 3, concurrent: 2 },
  account: { requests: 5, concurrent: 4 },
  free: { requests: 4, concurrent: 3 },
};
const of = (apiKeyId: string, accountId = `account of ${apiKeyId}`) => ({ apiKeyId, accountId });

function aLimiter(options: { countsAll?: boolean } = {}) {
  const clock = { ms: 1_000_000 };
  const limiter = createProcessLimiter(settings, { ...options, now: () => clock.ms });
  const refusalOf = async (
    key: string,
    account?: string,
    kind: RequestKind = 'paid',
  ): Promise<ApiError | undefined> => {
    try {
      (await limiter.take(of(key, account), kind)).release();
      return undefined;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  };
  return { clock, limiter, refusalOf };
}

describe('the limit within a process', () => {
  it('is exact at the edge of the window and reports when there is room again', async () => {
    const { clock, refusalOf } = aLimiter();
    for (const wait of [0, 10_000, 10_000]) {
      clock.ms += wait;
      expect(await refusalOf('a')).toBeUndefined();
    }
    clock.ms += 39_999;
    const refusal = await refusalOf('a');
    expect([refusal?.code, refusal?.retryAfterSeconds]).toEqual(['rate_limit_error', 1]);
    expect(refusal?.publicMessage).toBe(
      'This key has reached its limit of 3 requests in 60 seconds. Retry in one second.',
    );
    clock.ms += 1;
    expect(await refusalOf('a')).toBeUndefined();
    expect((await refusalOf('a'))?.retryAfterSeconds).toBe(10);
  });

  it('gives a refused request no permit', async () => {
    const { clock, refusalOf } = aLimiter();
    for (let i = 0; i < 10; i++) await refusalOf('a');
    clock.ms += 60_000;
    for (let i = 0; i < 3; i++) expect(await refusalOf('a')).toBeUndefined();
  });

  it('bounds concurrent requests, and releases a permit once', async () => {
    const { limiter, refusalOf } = aLimiter();
    const first = await limiter.take(of('a'), 'paid');
    await limiter.take(of('a'), 'paid');
    const refusal = await refusalOf('a');
    expect(refusal?.code).toBe('rate_limit_error');
    expect(refusal?.publicMessage).toBe(
      'This key has reached its limit of 2 requests at once. Send the next one when one of them has ended.',
    );
    first.release();
    first.release();
    expect(await refusalOf('a')).toBeUndefined();
  });

  it('is separate for each key', async () => {
    const { refusalOf } = aLimiter();
    for (let i = 0; i < 4; i++) await refusalOf('a');
    expect(await refusalOf('b')).toBeUndefined();
  });

  it('bounds an account with all of its keys, and says so', async () => {
    const { clock, refusalOf } = aLimiter();
    for (const key of ['a', 'a', 'b', 'b', 'c']) expect(await refusalOf(key, 'account')).toBeUndefined();
    const refusal = await refusalOf('c', 'account');
    expect([refusal?.code, refusal?.retryAfterSeconds]).toEqual(['rate_limit_error', 60]);
    expect(refusal?.publicMessage).toBe(
      'This account has reached its limit of 5 requests by all of its keys in 60 seconds. Retry in 60 seconds.',
    );
    expect(await refusalOf('d', 'another')).toBeUndefined();
    clock.ms += 60_000;
    expect(await refusalOf('c', 'account')).toBeUndefined();
  });

  it('bounds the concurrent requests of an account', async () => {
    const { limiter, refusalOf } = aLimiter();
    const permits = [];
    for (const key of ['a', 'a', 'b', 'b']) permits.push(await limiter.take(of(key, 'account'), 'paid'));
    expect((await refusalOf('c', 'account'))?.publicMessage).toBe(
      'This account has reached its limit of 4 requests by all of its keys at once. ' +
        'Send the next one when one of them has ended.',
    );
    permits[0]?.release();
    expect(await refusalOf('c', 'account')).toBeUndefined();
  });

  it('bounds free requests within that, and leaves room for paid ones', async () => {
    const { limiter, refusalOf } = aLimiter();
    const running = await limiter.take(of('a', 'account'), 'free');
    await limiter.take(of('a', 'account'), 'free');
    await limiter.take(of('b', 'account'), 'free');
    expect((await refusalOf('b', 'account', 'free'))?.publicMessage).toContain(
      '3 requests that are free at once',
    );
    running.release();
    expect(await refusalOf('b', 'account', 'free')).toBeUndefined();
    expect((await refusalOf('c', 'account', 'free'))?.publicMessage).toContain(
      '4 requests that are free in 60 seconds',
    );
    expect(await refusalOf('c', 'account')).toBeUndefined();
    expect((await refusalOf('c', 'account'))?.publicMessage).toContain('5 requests by all of its keys');
  });

  it('takes no place in the window of a key for a request that its account has no room for', async () => {
    const { clock, refusalOf } = aLimiter();
    for (const key of ['a', 'a', 'a', 'b', 'b']) await refusalOf(key, 'account');
    clock.ms += 59_999;
    for (let i = 0; i < 9; i++) expect(await refusalOf('c', 'account')).toBeDefined();
    clock.ms += 1;
    for (let i = 0; i < 3; i++) expect(await refusalOf('c', 'account')).toBeUndefined();
  });
});

describe('the reported window of a key', () => {
  const toldOf = (one: Pick<ApiError, 'headers'> | undefined) =>
    one?.headers.map(([, value]) => Number(value));

  it('is exact if no other process admits requests, on success and on every 429', async () => {
    const { clock, limiter, refusalOf } = aLimiter({ countsAll: true });
    const first = await limiter.take(of('a', 'one'), 'paid');
    expect(first.headers.map(([name]) => name)).toEqual([
      'X-RateLimit-Limit-Requests',
      'X-RateLimit-Remaining-Requests',
      'X-RateLimit-Reset-Requests',
    ]);
    expect(toldOf(first)).toEqual([3, 2, 60]);
    clock.ms += 20_500;
    const second = await limiter.take(of('a', 'one'), 'paid');
    expect(toldOf(second)).toEqual([3, 1, 40]);
    const tooManyAtOnce = await refusalOf('a', 'one');
    expect(tooManyAtOnce?.retryAfterSeconds).toBe(1);
    expect(toldOf(tooManyAtOnce)).toEqual([3, 1, 40]);
    first.release();
    second.release();
    (await limiter.take(of('a', 'one'), 'paid')).release();
    expect(toldOf(await refusalOf('a', 'one'))).toEqual([3, 0, 40]);
    clock.ms += 39_500;
    expect(toldOf(await limiter.take(of('a', 'one'), 'paid'))).toEqual([3, 0, 21]);
  });

  it('never exceeds the window, whatever fraction of a millisecond the clock shows', async () => {
    const { clock, limiter } = aLimiter({ countsAll: true });
    clock.ms = 6_000.740740734;
    expect(toldOf(await limiter.take(of('a', 'one'), 'paid'))).toEqual([3, 2, 60]);
  });

  it("is the key's, even if the account's limit refuses", async () => {
    const { limiter, refusalOf } = aLimiter({ countsAll: true });
    for (const key of ['a', 'a', 'b', 'b', 'c']) (await limiter.take(of(key, 'one'), 'paid')).release();
    const refusal = await refusalOf('c', 'one');
    expect(refusal?.publicMessage).toMatch(/^This account has reached its limit of 5 requests/);
    expect(toldOf(refusal)).toEqual([3, 2, 60]);
  });

  it('is omitted if other processes may admit requests as well', async () => {
    const { limiter, refusalOf } = aLimiter();
    for (let i = 0; i < 3; i++) {
      const permit = await limiter.take(of('a'), 'paid');
      expect(permit.headers).toEqual([]);
      permit.release();
    }
    expect((await refusalOf('a'))?.headers).toEqual([]);
  });
});
