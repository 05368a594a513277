import { stopInTime } from './stop-in-time';

describe('the stop of a process', () => {
  it('is over when its parts have stopped', async () => {
    await expect(stopInTime(Promise.resolve(), 60_000)).resolves.toBeUndefined();
  });

  it('says what went wrong', async () => {
    await expect(stopInTime(Promise.reject(new Error('pool')), 60_000)).rejects.toThrow('pool');
  });

  it('does not wait for ever for a part that hangs', async () => {
    await expect(stopInTime(new Promise(() => undefined), 20)).rejects.toThrow('did not stop in time');
  });
});
