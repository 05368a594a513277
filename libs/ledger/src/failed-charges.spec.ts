import { RetryQueue } from './failed-charges';

let retryQueue: RetryQueue;
beforeEach(() => {
  retryQueue = new RetryQueue({ pauseMs: 1 });
});
afterEach(() => {
  retryQueue.stop();
});

/** Work that fails this many times, and then succeeds. */
function workThatFails(times: number): {
  work: () => Promise<void>;
  done: Promise<void>;
  tries: () => number;
} {
  let tries = 0;
  let onDone = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    onDone = resolve;
  });
  const work = (): Promise<void> => {
    if (tries++ < times) return Promise.reject(new Error('not yet'));
    onDone();
    return Promise.resolve();
  };
  return { work, done, tries: () => tries };
}

describe('work that must be done', () => {
  it('is retried until it succeeds, and not after that', async () => {
    const first = workThatFails(3);
    retryQueue.add(first.work);
    await first.done;
    const later = workThatFails(2);
    retryQueue.add(later.work);
    await later.done;
    expect([first.tries(), later.tries()]).toEqual([4, 3]);
  });

  it('does not wait for work that never succeeds', async () => {
    const never = workThatFails(Infinity);
    const others = [workThatFails(0), workThatFails(1)];
    for (const { work } of [never, ...others]) retryQueue.add(work);
    await Promise.all(others.map(({ done }) => done));
    expect(never.tries()).toBeGreaterThan(0);
  });

  it('is not begun after the end', async () => {
    const { work, tries } = workThatFails(Infinity);
    retryQueue.add(work);
    retryQueue.stop();
    retryQueue.add(work);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(tries()).toBe(0);
  });
});
