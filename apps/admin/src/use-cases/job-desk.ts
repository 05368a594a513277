import { NoAnswerInTimeError, openQueueAdmin, type QueueAdmin, type JobRecord } from '@farebox/jobs';
import type { Environment } from '@farebox/config';
import { CommandFailure } from '../command-failure';
import { readJobBackend } from '../config';

/** Where the queues are kept, to be said with every answer: without REDIS_URL an operator looks at the wrong ones. */
export type QueueKeeper = 'redis' | 'postgres';

/** Throws `CommandFailure` where the queues do not answer. */
export async function atQueueAdmin<Answer>(
  environment: Environment,
  work: (admin: QueueAdmin, keeper: QueueKeeper) => Promise<Answer>,
): Promise<Answer> {
  const backend = readJobBackend(environment);
  const admin = openQueueAdmin(backend);
  try {
    return await work(admin, backend.kind);
  } catch (error) {
    if (!(error instanceof NoAnswerInTimeError)) throw error;
    const where = backend.kind === 'redis' ? 'Redis of REDIS_URL' : 'database of DATABASE_URL';
    throw new CommandFailure(`The job queues in the ${where} do not answer.`);
  } finally {
    await admin.close();
  }
}

/** Throws `CommandFailure` where there is no such job. */
export async function requireJob(admin: QueueAdmin, keeper: QueueKeeper, id: string): Promise<JobRecord> {
  const job = await admin.find(id);
  if (!job) throw new CommandFailure(`There is no job ${id} in the queues in ${keeper}.`);
  return job;
}
