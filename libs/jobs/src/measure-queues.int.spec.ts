import { handlersWith, openQueueHarness, type QueueHarness } from '../test/queue-harness';
import { measureQueue } from './measure-queues';
import { runJobs, type RunningJobs } from './run-jobs';

describe.each(['redis', 'postgres'] as const)('queues in %s', (kind) => {
  let harness: QueueHarness;
  let jobs: RunningJobs | undefined;
  beforeEach(async () => {
    harness = await openQueueHarness(kind);
  });
  afterEach(async () => {
    await harness.proxy.heal();
    await jobs?.close();
    jobs = undefined;
    await harness.close();
  });

  it('are measured by the number and age of waiting jobs, and the number of delayed ones', async () => {
    const queue = harness.openQueue('farebox-charges');
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
      backend: harness.behindProxy,
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

    harness.proxy.toTarget.set({ kind: 'reset', afterBytes: 0 });
    harness.proxy.reset();
    expect(await jobs.isWorking()).toBe(false);
    await expect(jobs.measure()).rejects.toThrow();
    await harness.proxy.heal();
    const deadlineMs = Date.now() + 60_000;
    while (!(await jobs.isWorking()))
      if (Date.now() > deadlineMs) throw new Error('they are not worked on again');
  });
});
