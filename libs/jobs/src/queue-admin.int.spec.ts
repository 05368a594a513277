import { PATIENT_SENDER, waitUntil } from '@farebox/testing';
import { aFailedCharge, handlersWith, openQueueHarness, type QueueHarness } from '../test/queue-harness';
import { openJobSender } from './job-sender';
import { openQueueAdmin, type QueueAdmin } from './queue-admin';
import { runJobs } from './run-jobs';

describe.each(['redis', 'postgres'] as const)('an operator with a queue in %s', (kind) => {
  let harness: QueueHarness;
  let admin: QueueAdmin;
  beforeEach(async () => {
    harness = await openQueueHarness(kind);
    admin = openQueueAdmin(harness.backend);
  });
  afterEach(async () => {
    await admin.close();
    await harness.close();
  });

  async function givenWaiting(): Promise<string> {
    const sender = openJobSender(harness.backend, PATIENT_SENDER);
    const charge = aFailedCharge();
    await sender.send('reconcile-charge', charge.holdId, charge);
    await sender.close();
    return charge.holdId;
  }

  /** Works until no job is ready to run, and returns the ids of the delivered ones. */
  async function work(reconcile: (id: string) => Promise<void>): Promise<string[]> {
    const delivered: string[] = [];
    const worker = await runJobs({
      backend: harness.backend,
      handlers: handlersWith({
        'reconcile-charge': (_charge, { id }) => {
          delivered.push(id);
          return reconcile(id);
        },
      }),
      onFailed: () => undefined,
      onError: () => undefined,
    });
    const queue = harness.openQueue('farebox-charges');
    await waitUntil(async () => {
      const { waiting, active } = await queue.getJobCounts('waiting', 'active');
      return waiting === 0 && active === 0;
    }, 'all jobs are done');
    await worker.close();
    return delivered;
  }

  async function givenDead(id: string): Promise<void> {
    const charge = { ...aFailedCharge(), usage: { ...aFailedCharge().usage, measuredCostNano: '5' } };
    const options = { jobId: id, attempts: 1 };
    await harness.openQueue('farebox-charges').add('reconcile-charge', charge, options);
    await work(() => Promise.reject(new Error('no database')));
  }

  it('sees waiting and dead jobs, with their payload and their error', async () => {
    await givenDead('dead');
    const waiting = await givenWaiting();
    const charges = { queue: 'farebox-charges', limit: 10 } as const;
    expect((await admin.list(charges)).map(({ id, state }) => [id, state])).toEqual([
      [waiting, 'waiting'],
      ['dead', 'failed'],
    ]);
    expect((await admin.list({ ...charges, limit: 1 })).map(({ id }) => id)).toEqual([waiting]);
    expect(await admin.list({ failedOnly: true, limit: 10 })).toMatchObject([
      {
        ...{ id: 'dead', job: 'reconcile-charge', queue: 'farebox-charges', state: 'failed' },
        ...{ attempts: 1, maxAttempts: 1, failure: 'no database', nextTryAt: null },
        payload: { usage: { measuredCostNano: '5' } },
        failedAt: expect.any(Date) as Date,
      },
    ]);
    expect(await admin.list({ queue: 'farebox-mail', limit: 10 })).toEqual([]);
  });

  it('sees when a failed job will be retried', async () => {
    const id = await givenWaiting();
    await work(() => Promise.reject(new Error('not now')));
    const job = await admin.find(id);
    expect(job).toMatchObject({ state: 'delayed', attempts: 1, maxAttempts: 40, failure: 'not now' });
    expect(job?.nextTryAt?.getTime()).toBeGreaterThanOrEqual((job?.createdAt.getTime() ?? 0) + 5_000);
  });

  it('can redeliver a dead letter with all of its attempts', async () => {
    await givenDead('dead');
    expect(await admin.retry({ id: 'dead', queue: 'farebox-charges' })).toBe('retried');
    expect(await admin.find('dead')).toMatchObject({ state: 'waiting', attempts: 0, failure: null });
    expect(await work(() => Promise.resolve())).toEqual(['dead']);
    expect(await admin.find('dead')).toMatchObject({ state: 'done' });
  });

  it('can discard a dead letter', async () => {
    await givenDead('dead');
    expect(await admin.discard({ id: 'dead', queue: 'farebox-charges' })).toBe('discarded');
    expect(await admin.find('dead')).toBeUndefined();
  });

  it('cannot touch jobs that are not dead', async () => {
    const queue = 'farebox-charges';
    const id = await givenWaiting();
    expect([await admin.retry({ id, queue }), await admin.discard({ id, queue })]).toEqual([
      'not_failed',
      'not_failed',
    ]);
    expect(await admin.retry({ id: 'unknown', queue })).toBe('no_such_job');
    expect(await admin.retry({ id, queue: 'farebox-mail' })).toBe('no_such_job');
    expect(await admin.find(id)).toMatchObject({ state: 'waiting' });
  });

  it('gets an error if the queue is not reachable', async () => {
    harness.proxy.stopAccepting();
    const away = openQueueAdmin(harness.behindProxy);
    await expect(away.list({ limit: 1 })).rejects.toThrow();
    await away.close();
  });
});
