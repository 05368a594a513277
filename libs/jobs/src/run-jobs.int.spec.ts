import { createTestDatabase, PATIENT_SENDER, waitUntil } from '@farebox/testing';
import { runJobs, type JobFailure, type RunJobsOptions, type RunningJobs } from './run-jobs';
import { openJobSender, type JobSender } from './job-sender';
import type { JobHandlers, JobPayload } from './job-table';
import { aFailedCharge, handlersWith, openQueueHarness, type QueueHarness } from '../test/queue-harness';
import { takeJobAndDie } from '../test/dying-worker';

describe.each(['redis', 'postgres'] as const)('jobs kept in %s', (kind) => {
  let harness: QueueHarness;
  let sender: JobSender;
  const workers: RunningJobs[] = [];
  beforeEach(async () => {
    harness = await openQueueHarness(kind);
    sender = openJobSender(harness.backend, PATIENT_SENDER);
  });
  afterEach(async () => {
    await closeWorkers();
    await sender.close();
    await harness.close();
  });

  async function startWorker(given: Partial<JobHandlers>, more: Partial<RunJobsOptions> = {}): Promise<void> {
    const worker = await runJobs({
      backend: harness.backend,
      handlers: handlersWith(given),
      onFailed: () => undefined,
      onError: () => undefined,
      ...more,
    });
    workers.push(worker);
  }
  async function closeWorkers(): Promise<void> {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
  }

  it('run periodically, once per period across two workers', async () => {
    let runs = 0;
    const count = (): Promise<void> => {
      runs++;
      return Promise.resolve();
    };
    await startWorker({ 'sweep-holds': count });
    await startWorker({ 'sweep-holds': count });
    await waitUntil(() => runs > 0, 'the job has run');
    await closeWorkers();
    expect(runs).toBe(1);
  });

  it('are scheduled again if the backend has lost the schedule', async () => {
    let runs = 0;
    const count = (): Promise<void> => {
      runs++;
      return Promise.resolve();
    };
    await startWorker({ 'sweep-holds': count }, { checkSchedulesMs: 100 });
    await waitUntil(() => runs > 0, 'the job has run');
    const queue = harness.openQueue('farebox');
    await queue.removeJobScheduler('sweep-holds');
    const before = runs;
    await waitUntil(() => runs > before, 'the job has run again');
  });

  it('are retried after a failure', async () => {
    let runs = 0;
    const failed: JobFailure[] = [];
    const fail = (): Promise<void> =>
      ++runs === 1 ? Promise.reject(new Error('not now')) : Promise.resolve();
    await startWorker({ 'sweep-holds': fail }, { onFailed: (failure) => failed.push(failure) });
    await waitUntil(() => runs >= 2, 'the job has been retried');
    await closeWorkers();
    expect(failed).toMatchObject([{ job: 'sweep-holds', attempt: 1, isGivenUp: false }]);
  });

  it('with an unknown name fail and are not completed', async () => {
    const failed: string[] = [];
    await startWorker({}, { onFailed: ({ job }) => failed.push(job) });
    await harness.openQueue('farebox').add('make-coffee', {});
    await waitUntil(() => failed.includes('make-coffee'), 'the job has failed');
    await closeWorkers();
  });

  it('arrive with their payload and id', async () => {
    const arrived: [JobPayload<'reconcile-charge'>, string][] = [];
    const take: JobHandlers['reconcile-charge'] = (payload, { id }) => {
      arrived.push([payload, id]);
      return Promise.resolve();
    };
    await startWorker({ 'reconcile-charge': take });
    const charges = [
      aFailedCharge(),
      { ...aFailedCharge(), usage: { ...aFailedCharge().usage, firstTokenMs: 5 } },
    ];
    for (const charge of charges) await sender.send('reconcile-charge', charge.holdId, charge);
    await waitUntil(() => arrived.length === 2, 'both jobs have arrived');
    await closeWorkers();
    expect(arrived).toEqual(charges.map((charge) => [charge, charge.holdId]));
  });

  it('in one queue do not wait for those in another', async () => {
    let free = (): void => undefined;
    const busy = new Promise<void>((resolve) => {
      free = resolve;
    });
    let isDone = false;
    const reconcile = (): Promise<void> => {
      isDone = true;
      return Promise.resolve();
    };
    await startWorker({
      'sweep-holds': () => busy,
      'purge-answers': () => busy,
      'sum-usage': () => busy,
      'purge-sign-ins': () => busy,
      'reconcile-charge': reconcile,
    });
    const charge = aFailedCharge();
    await sender.send('reconcile-charge', charge.holdId, charge);
    await waitUntil(() => isDone, 'the charge is reconciled');
    free();
    await closeWorkers();
  });

  it('that fail pause as long as their own policy says', async () => {
    const failed: JobFailure[] = [];
    await startWorker(
      { 'reconcile-charge': () => Promise.reject(new Error('no database')) },
      { onFailed: (failure) => failed.push(failure) },
    );
    const charge = aFailedCharge();
    await sender.send('reconcile-charge', charge.holdId, charge);
    await waitUntil(() => failed.length > 0, 'the job has failed');
    await closeWorkers();
    const job = await harness.openQueue('farebox-charges').getJob(charge.holdId);
    expect(await job?.getState()).toBe('delayed');
    expect(job).toMatchObject({ delay: 5_000, attemptsMade: 1, opts: { attempts: 40, removeOnFail: false } });
  });

  it('that fail for the last time are reported as given up, and kept', async () => {
    const failed: JobFailure[] = [];
    await startWorker(
      { 'reconcile-charge': () => Promise.reject(new Error('never')) },
      { onFailed: (failure) => failed.push(failure) },
    );
    const queue = harness.openQueue('farebox-charges');
    await queue.add('reconcile-charge', {}, { jobId: 'spoilt', attempts: 1 });
    await waitUntil(() => failed.length > 0, 'the job has failed');
    await closeWorkers();
    expect(failed).toMatchObject([{ job: 'reconcile-charge', id: 'spoilt', attempt: 1, isGivenUp: true }]);
    expect(await queue.getJobCounts('failed', 'delayed', 'waiting')).toMatchObject({ failed: 1, delayed: 0 });
  });

  it('are delivered again if their worker is killed', async () => {
    const charge = aFailedCharge();
    await sender.send('reconcile-charge', charge.holdId, charge);
    await takeJobAndDie(harness.backend, 'farebox-charges');
    const arrived: string[] = [];
    const take: JobHandlers['reconcile-charge'] = (_payload, { id }) => {
      arrived.push(id);
      return Promise.resolve();
    };
    await startWorker({ 'reconcile-charge': take }, { lockMs: 500 });
    await waitUntil(() => arrived.length > 0, 'the job has arrived');
    await closeWorkers();
    expect(arrived).toEqual([charge.holdId]);
  });

  it.each([
    [
      'is gone',
      () => {
        harness.proxy.stopAccepting();
        harness.proxy.reset();
      },
    ],
    [
      'stops answering',
      () => {
        harness.proxy.toClient.set({ kind: 'hold' });
      },
    ],
  ])('stop with their worker if the backend %s, after the running job', async (_what, breakIt) => {
    const ended: string[] = [];
    let finish: (() => void) | undefined;
    const take: JobHandlers['sweep-holds'] = async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      ended.push('job');
    };
    await startWorker({ 'sweep-holds': take }, { backend: harness.behindProxy });
    await waitUntil(() => finish !== undefined, 'the job is running');
    breakIt();
    const closed = closeWorkers().then(() => ended.push('worker'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    finish?.();
    await closed;
    expect(ended).toEqual(['job', 'worker']);
    await harness.proxy.heal();
  });
});

it('share six connections to PostgreSQL, of which each queue has one to itself', async () => {
  const db = await createTestDatabase();
  const jobs = await runJobs({
    backend: { kind: 'postgres', url: db.serviceUrl },
    handlers: handlersWith({}),
    onFailed: () => undefined,
    onError: () => undefined,
  });
  await Promise.all(Array.from({ length: 20 }, () => jobs.measure()));
  const { rows } = await db.pool.query<{ connections: number }>(
    `SELECT count(*)::int AS connections FROM pg_stat_activity WHERE datname = current_database() AND usename = $1`,
    [new URL(db.serviceUrl).username],
  );
  expect(rows[0]?.connections).toBeLessThanOrEqual(6);
  await jobs.close();
  await db.drop();
});
