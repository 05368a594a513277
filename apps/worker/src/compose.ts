import { assertMigrated, createPool } from '@farebox/database';
import { chooseJobBackend, runJobs } from '@farebox/jobs';
import type { Logger } from '@farebox/observability';
import type { WorkerConfig } from './config';
import { forgetAnswers } from './jobs/forget-answers/forget-answers';
import { sumUsage } from './jobs/sum-usage/sum-usage';
import { forgetSignIns } from './jobs/forget-sign-ins/forget-sign-ins';
import { sweepHolds } from './jobs/sweep-holds/sweep-holds';

export interface WorkerService {
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 4;
const STATEMENT_TIMEOUT_MS = 30_000;

/** Builds every client of the worker and begins to work. Throws where the database is not as this code needs it. */
export async function compose(config: WorkerConfig, log: Logger): Promise<WorkerService> {
  const pool = createPool({
    url: config.databaseUrl,
    max: MAX_CONNECTIONS,
    applicationName: 'farebox-worker',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onConnectionLost: (error) => {
      log.warn({ event: 'database_connection_lost', error }, 'lost an idle database connection');
    },
  });
  await assertMigrated(pool);

  const backend = chooseJobBackend(config.redisUrl, config.databaseUrl);
  log.info({ event: 'queue_chosen', queue: backend.kind }, 'the job queue is kept here');
  const jobs = await runJobs({
    backend,
    handlers: {
      'sweep-holds': () => sweepHolds({ pool, log }),
      'forget-answers': () => forgetAnswers({ pool, log }),
      'forget-sign-ins': () => forgetSignIns({ pool, log }),
      'sum-usage': () => sumUsage({ pool, log }),
    },
    onFailed: (job, attempt, error) => {
      log.error({ event: 'job_failed', job, attempt, error }, 'a job failed');
    },
    onError: (error) => {
      log.warn({ event: 'queue_unreachable', queue: backend.kind, error }, 'the job queue has a problem');
    },
  });

  return {
    async close() {
      await jobs.close();
      await pool.end();
    },
  };
}
