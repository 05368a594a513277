import { NoAnswerInTimeError } from '@farebox/flow';
import type { RedisServer } from '@farebox/local-services';
import { createTestDatabase, startTestRedis, type TestDatabase } from '@farebox/testing';
import { openAllQueues } from './measure-queues';
import { openQueue, type JobBackend } from './job-backend';
import { QUEUE_NAMES } from './job-table';

let db: TestDatabase;
let redis: RedisServer;
beforeAll(async () => {
  db = await createTestDatabase();
  redis = await startTestRedis();
});
afterAll(async () => {
  await redis.remove();
  await db.drop();
});

describe.each(['redis', 'postgres'] as const)('all queues, kept in %s', (kind) => {
  const backend = (): JobBackend => ({
    kind,
    url: kind === 'redis' ? redis.url : db.serviceUrl,
  });

  it('are measured and available as BullMQ queues', async () => {
    const mails = openQueue(backend(), 'farebox-mail');
    const job = await mails.add('send-mail', {});
    const all = openAllQueues(backend());
    const measures = await all.measure();
    expect(measures.map(({ queue }) => queue)).toEqual(QUEUE_NAMES);
    expect(measures.find(({ queue }) => queue === 'farebox-mail')).toMatchObject({ waiting: 1, failed: 0 });
    expect(all.queues.map(({ name }) => name)).toEqual(QUEUE_NAMES);
    await all.close();
    await job.remove();
    await mails.close();
  });
});

it('that are unreachable fail to answer, and close', async () => {
  const troubles: unknown[] = [];
  const all = openAllQueues({ kind: 'redis', url: 'redis://127.0.0.1:9' }, (error) => troubles.push(error));
  await expect(all.measure()).rejects.toThrow(NoAnswerInTimeError);
  expect(troubles.length).toBeGreaterThan(0);
  await all.close();
});
