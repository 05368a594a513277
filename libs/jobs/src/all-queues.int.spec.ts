import { NoAnswerInTimeError } from '@farebox/errors';
import { createTestDatabase, testRedisUrl, type TestDatabase } from '@farebox/testing';
import { openAllQueues } from './measure-queues';
import { openQueue, type JobBackend } from './job-backend';
import { QUEUE_NAMES } from './job-table';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

describe.each(['redis', 'postgres'] as const)('all queues, kept in %s', (kind) => {
  /** Redis: a database of its own, so that no worker of another test takes these jobs. */
  const backend = (): JobBackend => ({
    kind,
    url: kind === 'redis' ? `${testRedisUrl()}/12` : db.serviceUrl,
  });

  it('are measured, and are there as BullMQ has them', async () => {
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

it('queues that are not there are said not to answer, and close', async () => {
  const troubles: unknown[] = [];
  const all = openAllQueues({ kind: 'redis', url: 'redis://127.0.0.1:9' }, (error) => troubles.push(error));
  await expect(all.measure()).rejects.toThrow(NoAnswerInTimeError);
  expect(troubles.length).toBeGreaterThan(0);
  await all.close();
});
