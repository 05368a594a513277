import { ApiError } from '@farebox/errors';
import { paceRefusals } from './paced-refusals';
import type { Permit, RequestLimiter } from './request-limits';

let nowMs: number;
let waitsMs: number[];
let admits: boolean;

beforeEach(() => {
  nowMs = 1_000;
  waitsMs = [];
  admits = false;
});

const permit: Permit = { headers: [], window: undefined, release: () => undefined };
const inner: RequestLimiter = {
  take: () => (admits ? Promise.resolve(permit) : Promise.reject(new ApiError('rate_limit_error'))),
  canAdmitEarly: () => true,
};

function paced(): (accountId: string, times: number) => Promise<number[]> {
  const limiter = paceRefusals(inner, {
    now: () => nowMs,
    wait: (ms) => {
      waitsMs.push(ms);
      return Promise.resolve();
    },
  });
  return async (accountId, times) => {
    waitsMs = [];
    for (let i = 0; i < times; i++)
      await limiter.take({ accountId, apiKeyId: 'key' }, 'paid').catch((error: unknown) => {
        expect(error).toBeInstanceOf(ApiError);
      });
    return waitsMs;
  };
}

it('refuses at once a client that sent fifty requests too many', async () => {
  expect(await paced()('a', 50)).toEqual([]);
});

it('delays each refusal of an account that goes on longer than the one before, up to a bound', async () => {
  const waits = await paced()('a', 1_000);
  expect(waits).toHaveLength(950);
  expect(waits.slice(0, 3)).toEqual([20, 40, 60]);
  expect(Math.max(...waits)).toBe(2_000);
});

it('delays nobody else', async () => {
  const refuse = paced();
  await refuse('a', 1_000);
  expect(await refuse('b', 50)).toEqual([]);
});

it('refuses at once again after a quiet time', async () => {
  const refuse = paced();
  await refuse('a', 1_000);
  nowMs += 4_000;
  expect(await refuse('a', 50)).toEqual([]);
});

it('delays no admitted request', async () => {
  const refuse = paced();
  await refuse('a', 1_000);
  admits = true;
  expect(await refuse('a', 50)).toEqual([]);
});

it('delays no failure of its own', async () => {
  const limiter = paceRefusals(
    { ...inner, take: () => Promise.reject(new Error('broken')) },
    { now: () => nowMs, wait: () => Promise.reject(new Error('waited')) },
  );
  for (let i = 0; i < 200; i++)
    await expect(limiter.take({ accountId: 'a', apiKeyId: 'key' }, 'paid')).rejects.toThrow('broken');
});
