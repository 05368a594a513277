import { standStill } from '@farebox/testing';
import { NoAnswerInTimeError, within } from './deadline';

const never = new Promise<never>(() => undefined);

it('returns the answer if it comes in time, and throws what the work throws', async () => {
  await expect(within(60_000, Promise.resolve(7))).resolves.toBe(7);
  await expect(within(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('throws an error of its own if the answer does not come in time', async () => {
  await expect(within(20, never)).rejects.toThrow(new NoAnswerInTimeError(20));
});

it('returns an answer that came while the process itself stalled', async () => {
  const answered = new Promise<string>((resolve) => {
    setTimeout(setImmediate, 0, () => {
      resolve('answer');
    });
  });
  const asked = within(20, answered);
  standStill(100);
  expect(await asked).toBe('answer');
});
