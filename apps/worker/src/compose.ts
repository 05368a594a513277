import { assertMigrated, createDatabaseProbe, createPool } from '@farebox/database';
import type { Readiness } from '@farebox/http';
import { chooseJobBackend, openJobSender, runJobs, type JobFailure } from '@farebox/jobs';
import { quietTelemetry, type Logger, type Telemetry } from '@farebox/observability';
import { assertWorkerRole } from './assert-worker-role';
import { composeBoard } from './compose-board';
import { composeMails } from './compose-mails';
import type { WorkerConfig } from './config';
import { createHandlers } from './handlers';
import { watchLongWork } from './long-work';
import { openOutboxRelay } from './outbox/relay-outbox';
import { runRelay } from './outbox/run-relay';
import { measureService } from './telemetry/measure-service';
import { observedHandlers } from './telemetry/observed-handlers';

export interface WorkerService {
  readiness: Readiness;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 4;
/** Each is held while a mail is sent: as many as the queue of mails does at once. */
const MAIL_CONNECTIONS = 2;
const STATEMENT_TIMEOUT_MS = 30_000;
/** A check of the books takes two. */
const LONG_WORK_CONNECTIONS = 4;
const LONG_WORK_TIMEOUT_MS = 3_600_000;

/** Builds every client of the worker and begins to work. Throws where the database is not as this code needs it. */
export async function compose(
  config: WorkerConfig,
  log: Logger,
  telemetry: Telemetry = quietTelemetry(),
): Promise<WorkerService> {
  const poolOptions = {
    url: config.databaseUrl,
    applicationName: 'farebox-worker',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onConnectionLost: (error: Error) => {
      log.warn({ event: 'database_connection_lost', error }, 'lost an idle database connection');
    },
  };
  const pool = createPool({ ...poolOptions, max: MAX_CONNECTIONS });
  await assertMigrated(pool);
  await assertWorkerRole(pool);
  const claims = createPool({ ...poolOptions, max: MAIL_CONNECTIONS });
  const longWork = createPool({
    ...poolOptions,
    max: LONG_WORK_CONNECTIONS,
    statementTimeoutMs: LONG_WORK_TIMEOUT_MS,
    endsWithClient: true,
  });
  const runningLong = watchLongWork(longWork);
  const mails = composeMails(config, { pool, claims, log });

  const backend = chooseJobBackend(config.redisUrl, config.databaseUrl);
  log.info({ event: 'queue_chosen', queue: backend.kind }, 'the job queue is kept here');
  const jobs = await runJobs({
    backend,
    handlers: observedHandlers(createHandlers({ config, pool, longWork, mails, log }), telemetry),
    onFailed: (failure) => {
      logFailure(log, failure);
    },
    onError: (error) => {
      log.warn({ event: 'queue_unreachable', queue: backend.kind, error }, 'the job queue has a problem');
    },
  });
  const sender = openJobSender(backend);
  const relay = openOutboxRelay({
    pool,
    sender,
    onUnreadable: (id) => {
      log.error({ event: 'outbox_row_unreadable', job_id: id }, 'a row of the outbox is of a newer version');
    },
  });
  const running = runRelay(relay, log);
  measureService(telemetry.metrics, { pool, measureQueues: () => jobs.measure() });
  const canWrite = createDatabaseProbe(pool);
  const board = await composeBoard(config, backend, log);

  return {
    readiness: { isReady: async () => (await canWrite()) && (await jobs.isWorking()) },
    async close() {
      await board?.close();
      await running.close();
      await sender.close();
      await runningLong.endWith(jobs.close());
      await claims.end();
      await longWork.end();
      await pool.end();
    },
  };
}

function logFailure(log: Logger, { job, id, attempt, isGivenUp, error }: JobFailure): void {
  const fields = { job, job_id: id, attempt, error };
  if (isGivenUp) log.error({ event: 'job_given_up', ...fields }, 'a job is not tried again by itself');
  else log.warn({ event: 'job_failed', ...fields }, 'a job failed');
}
