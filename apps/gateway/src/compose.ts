import type { RequestListener } from 'node:http';
import { loadPublicDocuments } from '@farebox/api/documents';
import { createKeyHasher } from '@farebox/auth';
import type { Upstream } from '@farebox/catalog';
import {
  assertDirect,
  assertMigrated,
  createDatabaseProbe,
  createPool,
  reachDatabase,
} from '@farebox/database';
import { Turns } from '@farebox/flow';
import {
  createRequestMeter,
  RequestBodies,
  RequestRecorder,
  UnwrittenResponses,
  type Readiness,
} from '@farebox/http';
import { assertQueueMigrated, chooseJobBackend, openJobSender } from '@farebox/jobs';
import { createAnswerCipher, insertUnchargedRequests, openGatewayLedger, readQuote } from '@farebox/ledger';
import { quietTelemetry, type Logger, type Metrics, type Telemetry } from '@farebox/observability';
import { createApp, RunningRequests } from './app';
import { openLiveCatalog } from './upstream/live-catalog';
import type { GatewayConfig } from './config';
import { createKeyDirectory } from './identity/api-keys';
import { REFUSAL_PACE, RefusalPace } from './identity/refusal-pace';
import { connectRedis, createRedisLimiter } from './limiter/redis-limiter';
import { paceRefusals } from './limiter/paced-refusals';
import { createProcessLimiter } from './limiter/process-limiter';
import { toCountLimiterSettings, type RequestLimiter } from './limiter/request-limits';
import { createChargeMeter, createCountMeter, createLedgerMeter, createUnchargedMeter } from './meters';
import { createUpstreamMeter, logCircuitChange } from './upstream/upstream-attempts';
import { openTokenCounter } from './tokens/token-counter';
import { createCacheMarks } from './upstream/cache-marks';
import { createResolve, ImageHosts } from './upstream/image-hosts';
import { createUpstreamClient } from './upstream/upstream-client';
import { UnchargedRequests } from './paid/uncharged-requests';
import { StopSwitch } from './stop-switch';
import { noRoomErrorBy, type AskLedger } from './paid/no-room';

export interface GatewayService {
  app: RequestListener;
  readiness: Readiness;
  /** From now on, `/readyz` reports not ready. */
  beginDrain: () => void;
  /** Ends the running requests: charges what was delivered, and releases the rest. */
  abortRunning: () => void;
  /**
   * Waits until requests whose connection has ended are settled, and closes every client. Requests that are not
   * settled after `settleWithinMs` are handed over. Default: 18 seconds.
   */
  close(settleWithinMs?: number): Promise<void>;
}

/** Longer than the ledger takes for a charge in the background, unless a longer time is configured. */
const SETTLE_WITHIN_MS = 18_000;

/** A charge in doubt costs a review or a refund, so wait longer for it. */
const LEAST_SETTLEMENT_TIMEOUT_MS = 5_000;
/** Share of the timeout spent connecting, so that a dead server fails before a slow one answers. */
const CONNECT_SHARE = 2 / 3;
const MAX_CONNECTIONS = 8;
const CATALOG_POLL_MS = 1_000;
const REMEMBER_KEY_MS = 60_000;
const MAX_REMEMBERED_KEYS = 50_000;
/** Long whole responses that are read, charged and written at once; docs/operate/operating.md, "Memory". */
const LONG_ANSWERS_AT_ONCE = 4;
/**
 * Concurrent free counts. Beyond this, requests are answered and held by their bytes. A charge waits for its count
 * longer than the longest count takes on a busy machine, because no fair estimate could replace it.
 */
const COUNTER_LIMITS = { mostFree: 256, mostFreeOfAccount: 16, paidTimeoutMs: 120_000 };
/**
 * This many values take the event loop at most about 20 ms in each step; for the effect on others see
 * docs/benchmarks/neighbours.md.
 */
const BODY_LIMITS = { maxBytes: 4 * 1024 * 1024, maxDepth: 64, maxValues: 32_768, replacesUnfit: true };

/**
 * Builds every client of the gateway and connects. Throws if the database does not have the schema that this code
 * needs.
 */
export async function compose(
  config: GatewayConfig,
  log: Logger,
  env: Readonly<Record<string, string | undefined>>,
  { metrics, tracer }: Telemetry = quietTelemetry(),
): Promise<GatewayService> {
  const pool = createPool({
    url: config.databaseUrl,
    max: MAX_CONNECTIONS,
    applicationName: 'farebox-gateway',
    connectTimeoutMs: config.databaseTimeoutMs * CONNECT_SHARE,
    statementTimeoutMs: config.databaseTimeoutMs,
    onConnectionLost: (error) => {
      log.warn({ event: 'database_connection_lost', error }, 'lost an idle database connection');
    },
  });
  const reach = reachDatabase({
    timeoutMs: config.databaseStartTimeoutMs,
    onWait: (error) => {
      log.warn({ event: 'database_awaited', error }, 'waiting for an unreachable database');
    },
  });
  await reach(() => assertMigrated(pool));
  await reach(() => assertDirect(pool));
  const backend = chooseJobBackend(config.redisUrl, config.databaseUrl);
  await reach(() => assertQueueMigrated(backend));
  const jobs = openJobSender(backend);

  const counter = openTokenCounter({
    ...COUNTER_LIMITS,
    onCount: createCountMeter(metrics),
    onError: (error) => {
      log.warn({ event: 'token_count_failed', error }, 'tokens could not be counted');
    },
  });
  const upstreams = createUpstreamMeter(metrics);
  const catalogVersion = metrics.gauge('farebox_catalog_version');
  const catalog = await reach(() =>
    openLiveCatalog({
      pool,
      createClient: (upstream) =>
        createUpstreamClient({
          upstream,
          secret: secretOf(upstream, env, log),
          onCircuitChange: (upstreamModel, change) => {
            upstreams.circuitChanged(upstream.id, upstreamModel, change.state === 'open');
            logCircuitChange(log, upstream.id, upstreamModel, change);
          },
        }),
      pollMs: CATALOG_POLL_MS,
      onLoaded: ({ version, models }) => {
        catalogVersion.set(version);
        counter.prepare(new Set([...models.values()].flatMap(({ tokenizer }) => tokenizer ?? [])));
        log.info(
          { event: 'catalog_loaded', version: String(version), count: models.size },
          'loaded the catalogue',
        );
      },
      onError: (error) => {
        log.warn({ event: 'catalog_unread', error }, 'the catalogue could not be read again');
      },
    }),
  );
  const leaseFailures = metrics.counter('farebox_lease_failures_total');
  const ledger = await reach(() =>
    openGatewayLedger({
      databaseUrl: config.databaseUrl,
      pool,
      leaseMs: config.leaseMs,
      keptBytesPerAccount: config.keptBytesPerAccount,
      admissionTimeoutMs: config.databaseTimeoutMs,
      settlementTimeoutMs: Math.max(LEAST_SETTLEMENT_TIMEOUT_MS, config.databaseTimeoutMs),
      handOver: (charge) => jobs.send('reconcile-charge', charge.holdId, charge),
      onDiskFull: (isFull) => {
        if (isFull)
          log.error({ event: 'database_disk_full' }, "nothing is admitted: PostgreSQL's disk is full");
        else log.info({ event: 'database_disk_has_room' }, "PostgreSQL's disk has room again");
      },
      onBatch: createLedgerMeter(metrics),
      onLeaseError: (error) => {
        leaseFailures.add();
        log.error({ event: 'lease_not_renewed', error }, "this gateway's lease could not be renewed");
      },
    }),
  );
  const keys = createKeyDirectory({
    pool,
    hasher: createKeyHasher(config.keyPeppers),
    rememberMs: REMEMBER_KEY_MS,
    maxEntries: MAX_REMEMBERED_KEYS,
  });
  const limiter = openLimiter(config, config.redisTimeoutMs, log, metrics);
  const uncharged = new UnchargedRequests({
    insert: (requests) => insertUnchargedRequests(pool, requests),
    onResult: createUnchargedMeter(metrics),
    onError: (error) => {
      log.warn({ event: 'uncharged_requests_lost', error }, 'requests that cost nothing were not noted');
    },
  });
  const askLedger: AskLedger = (request) => readQuote(pool, request);
  const bodies = new RequestBodies(config.memory.bodiesBytes);
  const responsesCut = metrics.counter('farebox_responses_cut_total');
  const unwritten = new UnwrittenResponses(config.memory.responsesBytes, () => {
    responsesCut.add();
  });
  const shutdown = new StopSwitch();
  const running = new RunningRequests();
  const canWrite = createDatabaseProbe(pool);
  let draining = false;
  const readiness = { isReady: async () => !draining && ledger.isConnected && (await canWrite()) };
  const [drainGauge, ledgerGauge, bodiesGauge, responsesGauge] = [
    metrics.gauge('farebox_draining'),
    metrics.gauge('farebox_ledger_connected'),
    metrics.gauge('farebox_request_bodies_bytes'),
    metrics.gauge('farebox_unwritten_responses_bytes'),
  ];
  metrics.beforeScrape(() => {
    bodiesGauge.set(bodies.bytes);
    responsesGauge.set(unwritten.bytes);
    drainGauge.set(draining);
    ledgerGauge.set(ledger.isConnected);
  });

  const app = createApp({
    log,
    recorder: new RequestRecorder({ log, tracer, requests: createRequestMeter(metrics) }),
    charges: createChargeMeter(metrics),
    upstreams,
    catalog,
    ledger,
    askLedger,
    noRoomError: noRoomErrorBy(askLedger),
    answers: createAnswerCipher(config.answerKeys),
    counter,
    keptBytesPerAnswer: config.keptBytesPerAnswer,
    documents: await loadPublicDocuments(__dirname),
    consoleOrigins: config.consoleOrigins,
    keys,
    limiter: paceRefusals(limiter.limiter),
    countLimiter: paceRefusals(createProcessLimiter(toCountLimiterSettings(config.requestLimits))),
    bodies,
    unwritten,
    imageHosts: new ImageHosts({ resolve: createResolve(), now: () => performance.now() }),
    cacheMarks: createCacheMarks(config.keyPeppers),
    turns: new Turns({ atOnce: 1 }),
    longAnswers: new Turns({ atOnce: LONG_ANSWERS_AT_ONCE }),
    shutdown,
    bodyLimits: BODY_LIMITS,
    channelTimes: config.channelTimes,
    running,
    refusals: new RefusalPace(REFUSAL_PACE),
    uncharged,
    readiness,
    now: () => performance.now(),
  });

  return {
    app,
    readiness,
    beginDrain: () => {
      draining = true;
    },
    abortRunning: () => {
      shutdown.abort();
    },
    close: async (settleWithinMs = SETTLE_WITHIN_MS) => {
      const deadline = setTimeout(() => {
        void counter.close();
        ledger.stopWaiting();
      }, settleWithinMs);
      await running.ended();
      clearTimeout(deadline);
      await uncharged.close();
      await ledger.close();
      await counter.close();
      await jobs.close();
      await catalog.close();
      limiter.close();
      await pool.end();
    },
  };
}

function openLimiter(
  { redisUrl, requestLimits, leaseMs, isOnlyGateway }: GatewayConfig,
  timeoutMs: number,
  log: Logger,
  metrics: Metrics,
): { limiter: RequestLimiter; close: () => void } {
  const countsAll = redisUrl === undefined && isOnlyGateway;
  const standIn = createProcessLimiter(requestLimits, { countsAll });
  const standsIn = metrics.gauge('farebox_limiter_stand_in');
  const losses = metrics.counter('farebox_limiter_memory_lost_total');
  standsIn.set(redisUrl === undefined);
  if (redisUrl === undefined) return { limiter: standIn, close: () => undefined };
  // The limiter reports what a lost connection means.
  const redis = connectRedis(redisUrl, () => undefined);
  const limiter = createRedisLimiter({
    redis,
    settings: requestLimits,
    standIn,
    timeoutMs,
    leaseMs,
    onChange: (isAvailable, error) => {
      standsIn.set(!isAvailable);
      if (isAvailable) log.info({ event: 'limiter_restored' }, 'the request limit is held in Redis again');
      else log.warn({ event: 'limiter_degraded', error }, 'the request limit is held by this process alone');
    },
    onMemoryLost: () => {
      losses.add();
      log.warn(
        { event: 'limiter_memory_lost', wait_ms: requestLimits.windowMs },
        'Redis lost its memory: for one window the request limit is held by this process alone',
      );
    },
  });
  return {
    limiter,
    close: () => {
      limiter.close();
      redis.disconnect();
    },
  };
}

/** Undefined if the upstream takes none, or if its variable is missing or empty. */
function secretOf(
  { id, apiKeyEnv }: Upstream,
  env: Readonly<Record<string, string | undefined>>,
  log: Logger,
): string | undefined {
  if (apiKeyEnv === undefined) return undefined;
  const secret = env[apiKeyEnv];
  if (secret) return secret;
  log.error(
    { event: 'upstream_secret_missing', upstream_id: id, reason: apiKeyEnv },
    'an upstream has no secret, so it is not asked',
  );
  return undefined;
}
