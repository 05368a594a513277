import { uuidV7 } from '@farebox/auth';
import { JOBS, openJobSender, runJobs, type JobBackend, type JobHandlers } from '@farebox/jobs';
import type { RedisServer } from '@farebox/local-services';
import { postToOutbox } from '@farebox/mail';
import {
  createTestDatabase,
  startFaultProxy,
  startTestRedis,
  type FaultProxy,
  type TestDatabase,
  PATIENT_SENDER,
  waitUntil,
} from '@farebox/testing';
import { openOutboxRelay } from './outbox-relay';

describe.each(['redis', 'postgres'] as const)('from the outbox into a queue in %s', (kind) => {
  let db: TestDatabase;
  let redis: RedisServer | undefined;
  let proxy: FaultProxy;
  let backend: JobBackend;
  let behindProxy: JobBackend;

  beforeEach(async () => {
    db = await createTestDatabase();
    if (kind === 'redis') redis = await startTestRedis();
    backend = { kind, url: redis?.url ?? db.workerUrl };
    proxy = await startFaultProxy(Number(new URL(backend.url).port));
    behindProxy = { kind, url: proxy.through(backend.url) };
  });
  afterEach(async () => {
    await proxy.close();
    await redis?.remove();
    redis = undefined;
    await db.drop();
  });

  function openRelay(to: JobBackend, times: { timeoutMs?: number } = PATIENT_SENDER) {
    const sender = openJobSender(to, times);
    const { relay } = openOutboxRelay({ pool: db.workerPool, sender, onUnreadable: () => undefined });
    return { relay, close: () => sender.close() };
  }

  /** A worker that records the mails that it was asked to send. */
  function runWorker(told: string[]) {
    const idle = Object.keys(JOBS).map((name) => [name, () => Promise.resolve()]);
    const handlers: JobHandlers = {
      ...(Object.fromEntries(idle) as JobHandlers),
      'send-mail': ({ mailId }, { id }) => {
        expect(id).toBe(mailId);
        told.push(mailId);
        return Promise.resolve();
      },
    };
    return runJobs({ backend, handlers, onFailed: () => undefined, onError: () => undefined });
  }

  async function givenRow(id = uuidV7()): Promise<string> {
    await postToOutbox(db.pool, 'send-mail', { mailId: id }, id);
    return id;
  }

  it('a row becomes a job with its id, which runs once, even if it was added twice', async () => {
    const { relay, close } = openRelay(backend);
    const ids = [await givenRow(), await givenRow()];
    await relay();
    for (const id of ids) await givenRow(id); // the state left by a worker that died before its commit
    expect(await relay()).toBe(2);
    const told: string[] = [];
    const worker = await runWorker(told);
    await waitUntil(() => told.length >= 2, 'both jobs have run');
    await worker.close();
    await close();
    expect(told.sort()).toEqual(ids);
  });

  it('while the queue is down rows wait, and nothing blocks for long; then they are handed over', async () => {
    const { relay, close } = openRelay(behindProxy, {});
    const told: string[] = [];
    const worker = await runWorker(told);
    const id = await givenRow();
    proxy.stopAccepting();
    proxy.reset();
    await expect(relay()).rejects.toThrow('the job send-mail could not be put into its queue');
    expect((await db.pool.query('SELECT FROM outbox')).rowCount).toBe(1);
    await proxy.heal();
    await waitUntil(async () => (await relay().catch(() => 0)) > 0, 'the row is handed over');
    await waitUntil(() => told.includes(id), 'the job has run');
    await worker.close();
    await close();
    expect(told).toEqual([id]);
  });
});
