import { RunningRequests } from './app';

/** A request, and how it ends. */
function givenRequest() {
  let end: (error?: Error) => void = () => undefined;
  const request = new Promise<void>((resolve, reject) => {
    end = (error) => {
      if (error) reject(error);
      else resolve();
    };
  });
  return { request, end };
}

async function hasEnded(running: RunningRequests): Promise<boolean> {
  const notYet = new Promise<boolean>((resolve) => setImmediate(resolve, false));
  return Promise.race([running.ended().then(() => true), notYet]);
}

describe('the running requests', () => {
  it('have ended if there are none', async () => {
    expect(await hasEnded(new RunningRequests())).toBe(true);
  });

  it('have ended when the last of them has, whether it failed or not, and even if it came later', async () => {
    const running = new RunningRequests();
    const [one, failing, later] = [givenRequest(), givenRequest(), givenRequest()];
    void running.follow(one.request);
    running.follow(failing.request).catch(() => undefined);
    const ended = hasEnded(running);
    one.end();
    void running.follow(later.request);
    failing.end(new Error('failed'));
    expect([await ended, await hasEnded(running)]).toEqual([false, false]);
    later.end();
    expect(await hasEnded(running)).toBe(true);
  });
});
