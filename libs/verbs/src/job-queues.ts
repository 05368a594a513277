import { type Environment, loadConfig } from '@farebox/config';
import { NoAnswerInTimeError } from '@farebox/flow';
import { chooseJobBackend, openQueueAdmin, type JobBackend, type QueueAdmin } from '@farebox/jobs';
import { CommandFailure } from './failures';

/**
 * Where the worker keeps its queues: in the Redis of REDIS_URL, or otherwise in the database. Throws
 * `ConfigError`.
 */
export function readJobBackend(environment: Environment): JobBackend {
  const { DATABASE_URL, REDIS_URL } = loadConfig('admin', environment, ['DATABASE_URL', 'REDIS_URL']).values;
  return chooseJobBackend(REDIS_URL, DATABASE_URL);
}

/**
 * Where the queues are kept. Printed with every result, because without REDIS_URL an operator looks at the
 * wrong ones.
 */
export type QueueKeeper = 'redis' | 'postgres';

/** Throws `CommandFailure` if the queues do not respond. */
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
