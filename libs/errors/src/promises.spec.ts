import { NoAnswerInTimeError, singleFlight, within } from './promises';

const never = new Promise<never>(() => undefined);

describe('what has a deadline', () => {
  it('is what was asked for, if it comes in time', async () => {
    await expect(within(60_000, Promise.resolve(7))).resolves.toBe(7);
    await expect(within(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('is an error of its own if it does not', async () => {
    await expect(within(20, never)).rejects.toThrow(new NoAnswerInTimeError(20));
  });
});

describe('work of which one runs at a time', () => {
  it('is done once for all who ask while it runs, and again afterwards', async () => {
    let runs = 0;
    const ask = singleFlight(() => Promise.resolve(++runs));
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
    expect(await ask()).toBe(2);
  });

  it('fails for all who wait for it, and is tried again by whoever asks next', async () => {
    let runs = 0;
    const ask = singleFlight(() => (++runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve(runs)));
    const outcomes = await Promise.allSettled([ask(), ask()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await ask()).toBe(2);
  });
});
