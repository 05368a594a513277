import { uuidV7 } from '@farebox/auth';
import { toNanoUsd } from '@farebox/money';
import { createTestDatabase, startFaultProxy, startTestRedis, type FaultProxy } from '@farebox/testing';
import { openQueue, type JobBackend, type JobQueue } from '../src/job-backend';
import { JOBS, type JobHandlers, type JobPayload, type QueueName } from '../src/job-table';

/** Empty queues in a Redis or database of the test's own. */
export interface QueueHarness {
  backend: JobBackend;
  /** The connection to the same queues, with injectable faults. */
  proxy: FaultProxy;
  behindProxy: JobBackend;
  openQueue(name: QueueName): JobQueue;
  close(): Promise<void>;
}

export async function openQueueHarness(kind: JobBackend['kind']): Promise<QueueHarness> {
  const { backend, remove } = kind === 'redis' ? await startRedis() : await createDatabase();
  const proxy = await startFaultProxy(Number(new URL(backend.url).port));
  const queues: JobQueue[] = [];
  return {
    backend,
    proxy,
    behindProxy: { ...backend, url: proxy.through(backend.url) },
    openQueue(name) {
      const queue = openQueue(backend, name);
      queue.on('error', () => undefined); // reported by the running call
      queues.push(queue);
      return queue;
    },
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
      await proxy.close();
      await remove();
    },
  };
}

async function startRedis() {
  const server = await startTestRedis();
  return { backend: { kind: 'redis' as const, url: server.url }, remove: () => server.remove() };
}

async function createDatabase() {
  const db = await createTestDatabase();
  return { backend: { kind: 'postgres' as const, url: db.serviceUrl }, remove: () => db.drop() };
}

/** Handlers that do nothing, except the given ones. */
export function handlersWith(given: Partial<JobHandlers>): JobHandlers {
  const idle = Object.keys(JOBS).map((name) => [name, () => Promise.resolve()]);
  return { ...(Object.fromEntries(idle) as JobHandlers), ...given };
}

export function aFailedCharge(): JobPayload<'reconcile-charge'> {
  return {
    holdId: uuidV7(),
    accountId: uuidV7(),
    usage: {
      measuredCostNano: toNanoUsd(9_007_199_254_740_993n),
      promptTokens: 12,
      completionTokens: 34,
      cachedTokens: 5,
      reasoningTokens: 21,
      outcome: 'completed',
      streamed: true,
      estimated: false,
      latencyMs: 56,
    },
  };
}
