import { NoAnswerInTimeError, within } from './deadline';

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
