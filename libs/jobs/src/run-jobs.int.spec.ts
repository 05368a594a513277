import { createTestDatabase, testRedisUrl, type TestDatabase } from '@farebox/testing';
import { openQueue, type JobBackend } from './job-backend';
import { QUEUE_NAME } from './job-table';
import { runJobs, type RunJobsOptions } from './run-jobs';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(async () => {
  await db.drop();
});

const LONGEST_WAIT_MS = 20_000;

async function waitUntil(isSo: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  while (!isSo()) {
    if (Date.now() > deadlineMs) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.each(['redis', 'postgres'] as const)('jobs kept in %s', (kind) => {
  /** Redis: a database of its own, so that no worker of another test takes these jobs. */
  const backend = (): JobBackend => ({ kind, url: kind === 'redis' ? `${testRedisUrl()}/8` : db.serviceUrl });

  async function aWorker(sweep: () => Promise<void>, more: Partial<RunJobsOptions> = {}) {
    return runJobs({
      backend: backend(),
      handlers: {
        'sweep-holds': sweep,
        'forget-answers': () => Promise.resolve(),
        'sum-usage': () => Promise.resolve(),
        'forget-sign-ins': () => Promise.resolve(),
      },
      onFailed: () => undefined,
      onError: (error) => {
        throw error;
      },
      ...more,
    });
  }

  it('run by themselves, once each time over two workers', async () => {
    let runs = 0;
    const count = (): Promise<void> => {
      runs++;
      return Promise.resolve();
    };
    const workers = [await aWorker(count), await aWorker(count)];
    await waitUntil(() => runs > 0);
    await Promise.all(workers.map((worker) => worker.close()));
    expect(runs).toBe(1);
  });

  it('are tried again when they fail', async () => {
    let runs = 0;
    const failed: [string, number][] = [];
    const worker = await aWorker(
      () => (++runs === 1 ? Promise.reject(new Error('not now')) : Promise.resolve()),
      { onFailed: (job, attempt) => failed.push([job, attempt]) },
    );
    await waitUntil(() => runs >= 2);
    await worker.close();
    expect(failed[0]).toEqual(['sweep-holds', 1]);
  });

  it('that nobody knows fail, and are not done', async () => {
    const failed: string[] = [];
    const worker = await aWorker(() => Promise.resolve(), { onFailed: (job) => failed.push(job) });
    const queue = openQueue(backend(), QUEUE_NAME);
    await queue.add('make-coffee', {});
    await waitUntil(() => failed.includes('make-coffee'));
    await queue.close();
    await worker.close();
  });
});
