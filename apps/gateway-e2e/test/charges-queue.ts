import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

const NAME = 'farebox-charges';

/** Number of failed charges that still wait for their review, including dead letters. */
export function countChargesLeft(redisUrl: string): Promise<number> {
  return withQueue(redisUrl, (queue) => queue.getJobCountByTypes('waiting', 'active', 'delayed', 'failed'));
}

/** Number of failed charges that became reviews through the queue, as far as it remembers them. */
export function countChargesDone(redisUrl: string): Promise<number> {
  return withQueue(redisUrl, (queue) => queue.getJobCountByTypes('completed'));
}

/** Puts every completed charge into the queue again, twice, all at once. Returns their number. */
export function deliverAgainTwice(redisUrl: string): Promise<number> {
  return withQueue(redisUrl, async (queue) => {
    const done = await queue.getJobs(['completed']);
    const again = done.flatMap(({ name, data, id }) =>
      ['once-more', 'and-again'].map((which) => ({
        name,
        data: data as unknown,
        opts: { jobId: `${String(id)}-${which}` },
      })),
    );
    await queue.addBulk(again);
    return again.length;
  });
}

/**
 * Releases the locks of a dead worker's jobs, as a silent minute would otherwise do. The next worker that
 * starts finds them. Returns their number.
 */
export function outlastLocks(redisUrl: string): Promise<number> {
  return withQueue(redisUrl, async (queue) => {
    const active = (await queue.getActive()).map(({ id }) => String(id));
    if (active.length === 0) return 0;
    const redis = new Redis(redisUrl);
    await redis.del(...active.map((id) => `${queue.toKey(id)}:lock`), queue.toKey('stalled-check'));
    await redis.sadd(queue.toKey('stalled'), ...active);
    redis.disconnect();
    return active.length;
  });
}

async function withQueue<Answer>(redisUrl: string, use: (queue: Queue) => Promise<Answer>): Promise<Answer> {
  const queue = new Queue(NAME, { connection: { url: redisUrl } });
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}
