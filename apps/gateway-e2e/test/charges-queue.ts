import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

const NAME = 'farebox-charges';

/** How many failed charges still wait for their review, dead letters included. */
export function countChargesLeft(redisUrl: string): Promise<number> {
  return withQueue(redisUrl, (queue) => queue.getJobCountByTypes('waiting', 'active', 'delayed', 'failed'));
}

/** How many failed charges became reviews by way of the queue, as far as is remembered. */
export function countChargesDone(redisUrl: string): Promise<number> {
  return withQueue(redisUrl, (queue) => queue.getJobCountByTypes('completed'));
}

/** Puts every charge that was done into the queue again, twice, all at once. Answers with their number. */
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
 * The jobs that a dead worker had in its hands are another worker's now: what else comes of a minute in which it says
 * nothing. The next worker that starts finds them. Answers with their number.
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
