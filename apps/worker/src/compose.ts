import { join } from 'node:path';
import {
  assertDirect,
  assertMigrated,
  createDatabaseProbe,
  createPool,
  NotMigratedError,
  reachDatabase,
} from '@farebox/database';
import type { Readiness } from '@farebox/http';
import {
  assertQueueMigrated,
  chooseJobBackend,
  isPeriodicJobName,
  openJobSender,
  runJobs,
  type JobBackend,
  type JobFailure,
} from '@farebox/jobs';
import { createMailer } from '@farebox/mail';
import { quietTelemetry, type Logger, type Telemetry } from '@farebox/observability';
import { createAddressRule, createWebhookSecrets } from '@farebox/webhooks';
import type { Pool, PoolClient } from 'pg';
import type { Board } from './board';
import type { WorkerConfig } from './config';
import { createHandlers } from './handlers';
import type { SendMailParts } from './mails';
import { loopPauseMs, runLoop, type RunningLoop } from './loop';
import { openOutboxRelay, runRelay } from './outbox-relay';
import { applyNotedPayments } from './payments/apply-payments';
import { isLiveKey } from './payments/stripe-events';
import { forgetCards, tendTopUps } from './payments/tend-top-ups';
import { measureService, observedHandlers } from './telemetry';
import { ATTEMPT_TIMEOUT_MS, openWebhookDeliverer } from './webhooks/deliver-webhooks';

interface WorkerService {
  readiness: Readiness;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 4;
/** Each is held while a mail is sent: as many as the mail queue's concurrency. */
const MAIL_CONNECTIONS = 2;
/**
 * Generous, since no customer waits: a database that stalls for some seconds neither ends a starting worker
 * nor fails a job.
 */
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** A check of the books takes two. */
const LONG_WORK_CONNECTIONS = 4;
const LONG_WORK_TIMEOUT_MS = 3_600_000;

/**
 * Creates the clients of the worker and starts it. Throws if the database is not in the state that this code
 * needs.
 */
export async function compose(
  config: WorkerConfig,
  log: Logger,
  telemetry: Telemetry = quietTelemetry(),
): Promise<WorkerService> {
  const poolOptions = {
    url: config.databaseUrl,
    applicationName: 'farebox-worker',
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onConnectionLost: (error: Error) => {
      log.warn({ event: 'database_connection_lost', error }, 'lost an idle database connection');
    },
  };
  const pool = createPool({ ...poolOptions, max: MAX_CONNECTIONS });
  const reach = reachDatabase({
    timeoutMs: config.databaseStartTimeoutMs,
    onWait: (error) => {
      log.warn({ event: 'database_awaited', error }, 'waiting for an unreachable database');
    },
  });
  await reach(() => assertMigrated(pool));
  await reach(() => assertDirect(pool));
  await reach(() => assertWorkerRole(pool));
  const claims = createPool({ ...poolOptions, max: MAIL_CONNECTIONS });
  const longWork = createPool({
    ...poolOptions,
    max: LONG_WORK_CONNECTIONS,
    statementTimeoutMs: LONG_WORK_TIMEOUT_MS,
    // If two workers issue the invoices of a month, the second waits for the first.
    lockTimeoutMs: LONG_WORK_TIMEOUT_MS,
    endsWithClient: true,
  });
  const runningLong = watchLongWork(longWork);
  const mails = composeMails(config, { pool, claims, log });

  // Before the queue, which may wait for Redis.
  const payments = await runPayments(config, pool, log);
  const webhooks = runWebhooks(config, pool, log);
  const backend = chooseJobBackend(config.redisUrl, config.databaseUrl);
  await reach(() => assertQueueMigrated(backend));
  log.info({ event: 'queue_chosen', queue: backend.kind }, 'the job queue is kept here');
  const jobs = await runJobs({
    backend,
    handlers: observedHandlers(
      createHandlers({ config, pool, longWork, mails, metrics: telemetry.metrics, log }),
      telemetry,
    ),
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
      await payments?.close();
      await webhooks?.close();
      await sender.close();
      await runningLong.endWith(jobs.close());
      await claims.end();
      await longWork.end();
      await pool.end();
    },
  };
}

/** A job that was sent and is given up waits for a person. A periodic one has its next run. */
export function logFailure(log: Logger, { job, id, attempt, isGivenUp, error }: JobFailure): void {
  const fields = { job, job_id: id, attempt, error };
  if (!isGivenUp) log.warn({ event: 'job_failed', ...fields }, 'a job failed');
  else if (isPeriodicJobName(job))
    log.warn({ event: 'job_given_up', ...fields }, 'a periodic job failed until its next run');
  else log.error({ event: 'job_given_up', ...fields }, 'a job failed for the last time');
}

/**
 * Creates the parts that send mails. Without a mail server, it logs a warning once, and each mail is logged.
 */
export function composeMails(
  { publicUrl, operatorUrl, brand, mail, showsSignInLinks: showsLinks }: WorkerConfig,
  { pool, claims, log }: Pick<SendMailParts, 'pool' | 'claims' | 'log'>,
): SendMailParts {
  if (!mail && !showsLinks) {
    log.warn({ event: 'mail_not_configured' }, 'no mail can be sent: FAREBOX_MAIL_URL is not set');
  }
  const mailer = mail && createMailer(mail);
  return { pool, claims, mailer, publicUrl, operatorUrl, brand, showsLinks, log };
}

const TOP_UP_PAUSE_MS = 5_000;

/**
 * Applies card payments and makes automatic top-ups if they are configured. Not jobs, so that without Redis
 * customers still wait only a few seconds.
 */
async function runPayments(
  { stripe }: Pick<WorkerConfig, 'stripe'>,
  pool: Pool,
  log: Logger,
): Promise<RunningLoop | undefined> {
  if (!stripe) return undefined;
  const { askStripeWith } = await import('./payments/ask-stripe');
  const { openStripeCards } = await import('./payments/stripe-cards');
  const cards = openStripeCards(stripe);
  const parts = { pool, cards, askStripe: askStripeWith(stripe), isLive: isLiveKey(stripe.secretKey), log };
  const topUps = runLoop({
    work: async (closing) => {
      await tendTopUps(parts, closing);
      await forgetCards(parts, closing);
    },
    pauseMs: (failures) => Math.max(TOP_UP_PAUSE_MS, loopPauseMs(failures)),
    onTrouble(error) {
      log.warn({ event: 'top_ups_not_made', error }, 'automatic top-ups cannot be made now: they wait');
    },
    onRecovery() {
      log.info({ event: 'top_ups_made' }, 'automatic top-ups are made again');
    },
  });
  const payments = runLoop({
    work: (closing) => applyNotedPayments(parts, closing),
    onTrouble(error) {
      log.warn({ event: 'payments_not_read', error }, 'payment events cannot be fetched now: they wait');
    },
    onRecovery() {
      log.info({ event: 'payments_read' }, 'payment events are fetched again');
    },
  });
  return {
    async close() {
      await Promise.all([topUps.close(), payments.close()]);
    },
  };
}

/** Sends webhooks if they are configured. Not jobs either: each endpoint has its own pace and its own pauses. */
function runWebhooks(
  { webhooks: config }: Pick<WorkerConfig, 'webhooks'>,
  pool: Pool,
  log: Logger,
): RunningLoop | undefined {
  if (!config) return undefined;
  const { keys, networks, allowsHttp } = config;
  const mayReach = createAddressRule({ networks, allowsLoopback: allowsHttp });
  const transport = { mayReach, allowsHttp, timeoutMs: ATTEMPT_TIMEOUT_MS };
  const deliverer = openWebhookDeliverer({ pool, secrets: createWebhookSecrets(keys), transport, log });
  const loop = runLoop({
    work: () => deliverer.begin(),
    onTrouble(error) {
      log.warn({ event: 'webhooks_not_sent', error }, 'webhooks cannot be sent now: they wait');
    },
    onRecovery() {
      log.info({ event: 'webhooks_sent' }, 'webhooks are sent again');
    },
  });
  return {
    async close() {
      await loop.close();
      await deliverer.settle();
    },
  };
}

/** The build puts the page of the board next to the bundle. */
const PAGE_FOLDER = join(__dirname, 'board');

/** Opens the queue board if it is configured. */
async function composeBoard(
  { board: config }: Pick<WorkerConfig, 'board'>,
  backend: JobBackend,
  log: Logger,
): Promise<Board | undefined> {
  if (!config) return undefined;
  const { openBoard } = await import('./board');
  const board = await openBoard({
    config,
    backend,
    pageFolder: PAGE_FOLDER,
    log,
    onQueueError: (error) => {
      log.warn(
        { event: 'queue_unreachable', queue: backend.kind, error },
        'the board cannot reach the queues',
      );
    },
  });
  log.info({ event: 'board_ready', host: config.host, port: board.port }, 'the queue board is served');
  return board;
}

/**
 * Throws `NotMigratedError` if this login lacks the rights of a worker, for example because it has those of a
 * gateway.
 */
export async function assertWorkerRole(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ may: boolean }>(
    `SELECT has_function_privilege('ledger_sweep(int)', 'EXECUTE') AS may`,
  );
  if (rows[0]?.may) return;
  throw new NotMigratedError(
    'The role of DATABASE_URL lacks the rights of the worker: make it a member of farebox_worker with "GRANT farebox_worker TO …".',
  );
}

/** The work that runs on the connections of a pool. */
interface LongWork {
  /**
   * Waits for `done`, then ends unfinished work, at the latest after a while: its statements fail, and its
   * transactions roll back.
   */
  endWith(done: Promise<void>): Promise<void>;
}

const GRACE_MS = 5_000;

/**
 * Call it before the pool is used. A stop does not wait for work that takes minutes: its job is delivered
 * again.
 */
function watchLongWork(pool: Pool, graceMs = GRACE_MS): LongWork {
  const clients = new Set<PoolClient>();
  pool.on('connect', (client) => clients.add(client));
  pool.on('remove', (client) => clients.delete(client));
  const cut = (): void => {
    // With a running statement this closes the connection, which the types of a pool's client do not mention.
    for (const client of clients) (client as unknown as { end(done: () => void): void }).end(() => undefined);
  };
  return {
    async endWith(done) {
      const timer = setTimeout(cut, graceMs);
      try {
        await done;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
