import { ApiError } from '@farebox/errors';
import { createProcessLimiter } from './process-limiter';

const settings = { requests: 3, windowMs: 60_000, concurrent: 2 };

function aLimiter() {
  const clock = { ms: 1_000_000 };
  const limiter = createProcessLimiter(settings, () => clock.ms);
  const refusalOf = async (key: string): Promise<ApiError | undefined> => {
    try {
      (await limiter.take(key)).release();
      return undefined;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  };
  return { clock, limiter, refusalOf };
}

describe('the limit within a process', () => {
  it('is exact at the edge of the window and says when there is room again', async () => {
    const { clock, refusalOf } = aLimiter();
    for (const wait of [0, 10_000, 10_000]) {
      clock.ms += wait;
      expect(await refusalOf('a')).toBeUndefined();
    }
    clock.ms += 39_999;
    const refusal = await refusalOf('a');
    expect([refusal?.code, refusal?.retryAfterSeconds]).toEqual(['rate_limit_error', 1]);
    expect(refusal?.publicMessage).toBe(
      'This key may make 3 requests in 60 seconds, and has made them. There is room again in one second at most.',
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

  it('bounds what runs at once, and a permit is released once', async () => {
    const { limiter, refusalOf } = aLimiter();
    const first = await limiter.take('a');
    await limiter.take('a');
    const refusal = await refusalOf('a');
    expect(refusal?.code).toBe('rate_limit_error');
    expect(refusal?.publicMessage).toBe(
      'This key may have 2 requests running at once, and has. Send the next one when one of them has ended.',
    );
    first.release();
    first.release();
    expect(await refusalOf('a')).toBeUndefined();
  });

  it('is of each key', async () => {
    const { refusalOf } = aLimiter();
    for (let i = 0; i < 4; i++) await refusalOf('a');
    expect(await refusalOf('b')).toBeUndefined();
  });
});
