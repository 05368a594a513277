import { Queue } from 'bullmq';

/** Has a worker look for abandoned holds now: it does so by itself every few seconds. Answers with the job's id. */
export function orderSweep(redisUrl: string): Promise<string> {
  const options = { attempts: 5, backoff: { type: 'policy' } };
  return withQueue(redisUrl, async (queue) => (await queue.add('sweep-holds', {}, options)).id ?? '');
}

export function isSweepDone(redisUrl: string, id: string): Promise<boolean> {
  return withQueue(redisUrl, async (queue) => (await queue.getJobState(id)) === 'completed');
}

async function withQueue<Answer>(redisUrl: string, use: (queue: Queue) => Promise<Answer>): Promise<Answer> {
  const queue = new Queue('farebox', { connection: { url: redisUrl } });
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}
