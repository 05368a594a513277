import { ApiError } from '@farebox/errors';
import { RefusalPace, type Refused } from './refusal-pace';

const SETTINGS = { perSecond: 100, burst: 10, mostWaiting: 50 };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function aPace() {
  const pace = new RefusalPace(SETTINGS, () => Date.now());
  let answered = 0;
  const refuse = (): Refused => {
    const res = { destroyed: false, destroy: () => (res.destroyed = true) };
    pace
      .follow(res, () => Promise.reject(new ApiError('invalid_api_key')))
      .catch(() => {
        if (!res.destroyed) answered++;
      });
    return res;
  };
  return { pace, refuse, answered: () => answered };
}

describe('the pace of refusals', () => {
  it('delays wrong keys after a burst, and lets them go in order', async () => {
    const { refuse, answered } = aPace();
    const all = Array.from({ length: 40 }, refuse);
    await jest.advanceTimersByTimeAsync(0);
    expect(answered()).toBe(10);
    await jest.advanceTimersByTimeAsync(100);
    expect(answered()).toBe(20);
    await jest.advanceTimersByTimeAsync(200);
    expect(answered()).toBe(40);
    expect(all.some(({ destroyed }) => destroyed)).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('cuts new connections when very many wait', async () => {
    const { refuse } = aPace();
    const all = Array.from({ length: 70 }, refuse);
    await jest.advanceTimersByTimeAsync(0);
    expect(all.filter(({ destroyed }) => destroyed)).toHaveLength(10);
  });

  it('keeps no place for a client who has left', async () => {
    const { refuse, answered } = aPace();
    const gone = Array.from({ length: 60 }, refuse).slice(10);
    for (const res of gone) res.destroy();
    await jest.advanceTimersByTimeAsync(20);
    const late = refuse();
    await jest.advanceTimersByTimeAsync(20);
    expect([answered(), late.destroyed]).toEqual([11, false]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('delays nothing else', async () => {
    const { pace, refuse } = aPace();
    for (let i = 0; i < 60; i++) refuse();
    const res = { destroyed: false, destroy: () => undefined };
    await expect(pace.follow(res, () => Promise.resolve('served'))).resolves.toBe('served');
    const other = new ApiError('rate_limit_error');
    await expect(pace.follow(res, () => Promise.reject(other))).rejects.toBe(other);
  });
});
