import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { isLoopback } from '@farebox/config';
import {
  assertMigrated,
  createDatabaseProbe,
  createPool,
  NotMigratedError,
  reachDatabase,
} from '@farebox/database';
import {
  createRequestMeter,
  readConsoleFiles,
  RequestBodies,
  RequestRecorder,
  UnwrittenResponses,
  type ConsoleFiles,
  type Readiness,
} from '@farebox/http';
import { quietTelemetry, type Logger, type Telemetry } from '@farebox/observability';
import {
  endOperatorSession,
  findManagementKey,
  findOperator,
  findOperatorSession,
  type NewOperatorSession,
  type OperatorBrowser,
  putOperator,
  spendOperatorLink,
  startOperatorSession,
} from '@farebox/operators';
import { runVerb } from '@farebox/verbs';
import type { Pool } from 'pg';
import { createApp } from './app';
import type { OperatorConfig } from './config';
import { OPENID_CALLBACK_PATH } from './http/openid';
import { createOpenIdProvider, NotAnOperator, type OpenIdPerson } from './openid/openid-provider';
import { askForMailedLink } from './mailed-links';
import { createHost } from './verb-host';

interface OperatorService {
  app: RequestListener;
  readiness: Readiness;
  /** Makes `/readyz` fail from now on. */
  beginDrain(): void;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 5;
const LOCK_TIMEOUT_MS = 5_000;
const MEMORY_FOR_BODIES = 64 * 1_048_576;
const MEMORY_FOR_RESPONSES = 64 * 1_048_576;

/**
 * Creates the clients of the service and connects its parts. Throws if the database is not in the state that this
 * code needs.
 */
export async function compose(
  config: OperatorConfig,
  log: Logger,
  { metrics, tracer }: Telemetry = quietTelemetry(),
): Promise<OperatorService> {
  const open = (readOnly: boolean): Pool =>
    createPool({
      url: config.databaseUrl,
      max: MAX_CONNECTIONS,
      applicationName: readOnly ? 'farebox-operator-read' : 'farebox-operator',
      // Includes the wait for a connection that a long report has: an operator waits for both.
      connectTimeoutMs: config.databaseTimeoutMs,
      statementTimeoutMs: config.databaseTimeoutMs,
      lockTimeoutMs: LOCK_TIMEOUT_MS,
      readOnly,
      onConnectionLost: (error) => {
        log.warn({ event: 'database_connection_lost', error }, 'lost an idle database connection');
      },
    });
  // Reports may be long: a page of a customer does not wait for their connections.
  const pools = { read: open(true), write: open(false) };
  const reach = reachDatabase({
    timeoutMs: config.databaseStartTimeoutMs,
    onWait: (error) => {
      log.warn({ event: 'database_awaited', error }, 'waiting for an unreachable database');
    },
  });
  await reach(() => assertMigrated(pools.write));
  await reach(() => assertOperatorRole(pools.write));
  const canWrite = createDatabaseProbe(pools.write);
  let draining = false;
  const readiness = { isReady: async () => !draining && (await canWrite()) };
  const drainGauge = metrics.gauge('farebox_draining');
  metrics.beforeScrape(() => {
    drainGauge.set(draining);
  });

  const app = createApp({
    access: {
      findSession: (token) => findOperatorSession(pools.write, token),
      findKey: (secret) => findManagementKey(pools.write, secret),
    },
    signIn: {
      askForLink: (address, network) => askForMailedLink(pools.write, address, network),
      spendLink: (token, browser) => spendOperatorLink(pools.write, token, browser),
      endSession: (sessionId) => endOperatorSession(pools.write, sessionId),
      isSecure: !isLoopback(config.operatorUrl),
    },
    openId: config.openId && {
      provider: createOpenIdProvider(config.openId, `${config.operatorUrl}${OPENID_CALLBACK_PATH}`),
      startSession: (person, browser) => startOpenIdSession(pools.write, person, browser),
      ...{ operatorUrl: config.operatorUrl, isSecure: !isLoopback(config.operatorUrl) },
      ...{ brand: config.brand, log },
    },
    consoleFiles: composeConsole(log),
    run: (call, request) => runVerb(call, createHost(request, pools, config.environment)),
    brand: config.brand,
    trustedProxies: config.trustedProxies,
    memory: {
      bodies: new RequestBodies(MEMORY_FOR_BODIES),
      responses: new UnwrittenResponses(MEMORY_FOR_RESPONSES),
    },
    readiness,
    recorder: new RequestRecorder({ log, tracer, requests: createRequestMeter(metrics) }),
    log,
  });

  return {
    app,
    readiness,
    beginDrain: () => {
      draining = true;
    },
    close: async () => {
      await Promise.all([pools.read.end(), pools.write.end()]);
    },
  };
}

/** The files of the console, next to the bundle. Everything else works without them. */
function composeConsole(log: Logger): ConsoleFiles | undefined {
  const files = readConsoleFiles(join(__dirname, 'console'));
  if (!files) {
    log.warn(
      { event: 'console_missing' },
      'the console is not served: its files are missing next to the bundle',
    );
  }
  return files;
}

/**
 * Starts a session of a person whom an identity provider names. Without a role from there they must be in the list of
 * operators; with one they are added to it, so that the log's names have an entry. Throws `NotAnOperator`.
 */
async function startOpenIdSession(
  pool: Pool,
  { email, role }: OpenIdPerson,
  browser: OperatorBrowser,
): Promise<NewOperatorSession> {
  const known = await findOperator(pool, email);
  if (!known && role === null) throw new NotAnOperator(`${email} is no operator of this service.`);
  const operator = known ?? (await putOperator(pool, { email, role: role ?? 'viewer' })).operator;
  return startOperatorSession(pool, { operatorId: operator.id, role, browser });
}

/** Throws `NotMigratedError` if this login lacks the rights of the service, for example because it has a worker's. */
async function assertOperatorRole(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ may: boolean }>(
    `SELECT has_table_privilege('operator_session', 'INSERT') AND has_table_privilege('operator_action', 'INSERT') AS may`,
  );
  if (rows[0]?.may) return;
  throw new NotMigratedError(
    'The role of DATABASE_URL lacks the rights of the operator service: make it a member of farebox_operator with "GRANT farebox_operator TO …".',
  );
}
