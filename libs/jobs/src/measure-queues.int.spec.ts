import { handlersWith, openQueueStand, type QueueStand } from './queue.stand';
import { measureQueue } from './measure-queues';
import { runJobs, type RunningJobs } from './run-jobs';

describe.each(['redis', 'postgres'] as const)('queues in %s', (kind) => {
  let stand: QueueStand;
  let jobs: RunningJobs | undefined;
  beforeEach(async () => {
    stand = await openQueueStand(kind);
  });
  afterEach(async () => {
    await stand.proxy.heal();
    await jobs?.close();
    jobs = undefined;
    await stand.close();
  });

  it('are measured: what waits and for how long, and what comes later', async () => {
    const queue = stand.openQueue('farebox-charges');
    expect(await measureQueue('farebox-charges', queue)).toEqual({
      queue: 'farebox-charges',
      waiting: 0,
      active: 0,
      delayed: 0,
      failed: 0,
      oldestWaitingMs: 0,
    });
    const first = await queue.add('reconcile-charge', {}, { jobId: 'first' });
    await queue.add('reconcile-charge', {}, { jobId: 'second' });
    await queue.add('reconcile-charge', {}, { jobId: 'later', delay: 600_000 });
    const measure = await measureQueue('farebox-charges', queue, () => first.timestamp + 90_000);
    expect(measure).toEqual({
      queue: 'farebox-charges',
      waiting: 2,
      active: 0,
      delayed: 1,
      failed: 0,
      oldestWaitingMs: 90_000,
    });
  });

  it('are worked on while their backend answers', async () => {
    jobs = await runJobs({
      backend: stand.behindProxy,
      handlers: handlersWith({}),
      onFailed: () => undefined,
      onError: () => undefined,
    });
    expect(await jobs.isWorking()).toBe(true);
    expect((await jobs.measure()).map(({ queue }) => queue).sort()).toEqual([
      'farebox',
      'farebox-charges',
      'farebox-mail',
    ]);

    stand.proxy.toTarget.set({ kind: 'reset', afterBytes: 0 });
    stand.proxy.reset();
    expect(await jobs.isWorking()).toBe(false);
    await expect(jobs.measure()).rejects.toThrow();
    await stand.proxy.heal();
    const deadlineMs = Date.now() + 20_000;
    while (!(await jobs.isWorking()))
      if (Date.now() > deadlineMs) throw new Error('they are not worked on again');
  });
});
