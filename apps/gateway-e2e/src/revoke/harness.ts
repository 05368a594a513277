import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  applyMigrations,
  freePorts,
  provideServiceLogin,
  runToEnd,
  ServiceProcess,
  startTemporaryPostgres,
  TEST_ACCOUNT_LOGIN,
  TEST_SERVICE_LOGIN,
  TEST_WORKER_LOGIN,
  urlFor,
  waitForHttp,
  type RedisServer,
} from '@farebox/local-services';
import { startSimulatedUpstream } from '@farebox/simulated-upstream';
import pg from 'pg';
import { createSession } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { givenAccount, startTestRedis } from '@farebox/testing';
import { bundleOf, PATIENT } from '../../test/whole-service';
import { nameInBody } from '../../test/chat-client';
import { applyModels } from '../../test/breakable-service';
import type { Change } from './history';

/** Gateways and the account service as in production, and a Redis that tests can stop. */
export interface RevokeHarness {
  gatewayUrls: readonly string[];
  accountUrl: string;
  /** As the owner of the database. */
  pool: pg.Pool;
  redis: RedisServer;
  customers: readonly Customer[];
  /** Number of upstream calls, by the id of the request. */
  upstreamCalls: ReadonlyMap<string, number>;
  /** Runs the operator's command. */
  admin: (...args: string[]) => Promise<unknown>;
  close(): Promise<void>;
}

export interface RevokeHarnessOptions {
  gateways: number;
  customers: number;
  logFolder?: string | undefined;
}

const KEY_PEPPERS = `1:${'5a'.repeat(32)}`;
const ANSWER_KEYS = `1:${'6b'.repeat(32)}`;
const TOKENS_PER_SECOND = 60;

type Removal = () => Promise<unknown>;

export async function startRevokeHarness(options: RevokeHarnessOptions): Promise<RevokeHarness> {
  const removals: Removal[] = [];
  const close = async (): Promise<void> => {
    for (const removal of removals.splice(0).reverse()) await removal();
  };
  try {
    return { ...(await startParts(options, removals)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(
  { gateways, customers: count, logFolder }: RevokeHarnessOptions,
  removals: Removal[],
): Promise<Omit<RevokeHarness, 'close'>> {
  const upstreamCalls = new Map<string, number>();
  const upstream = await startSimulatedUpstream({
    tokensPerSecond: TOKENS_PER_SECOND,
    onRequest({ body }) {
      const name = nameInBody(body);
      upstreamCalls.set(name, (upstreamCalls.get(name) ?? 0) + 1);
    },
  });
  removals.push(() => upstream.close());
  const database = await startRevokeDatabase();
  removals.push(() => database.remove());
  await applyModels(database.pool, upstream.url);
  const customers = await createCustomers(database.pool, count);
  const redis = await startTestRedis();
  removals.push(() => redis.remove());

  const folder = mkdtempSync(join(tmpdir(), 'farebox-revoke-'));
  removals.push(() => rm(folder, { recursive: true, force: true }));
  const environment = {
    PATH: process.env['PATH'],
    FAREBOX_KEY_PEPPERS: KEY_PEPPERS,
    FAREBOX_LOG_LEVEL: logFolder === undefined ? 'warn' : 'info',
  };
  // Copied before any process starts, so that none reads a bundle while it is written.
  const bundles = {
    gateway: bundleOf('gateway', folder),
    account: bundleOf('account', folder),
    admin: bundleOf('admin', folder),
  };
  const start = async (
    app: 'gateway' | 'account',
    number: number,
    port: number,
    env: Record<string, string>,
  ) => {
    const name = `${app}-${String(number)}`;
    const service = ServiceProcess.start({
      name,
      args: [bundles[app]],
      cwd: folder,
      env: { ...environment, ...env },
      ...(logFolder === undefined ? {} : { logFile: join(logFolder, `${name}.log`) }),
    });
    removals.push(() => service.stop());
    const url = `http://127.0.0.1:${String(port)}`;
    await service.until(waitForHttp(`${url}/readyz`));
    return url;
  };

  const [accountPort = 0, ...gatewayPorts] = await freePorts(1 + gateways);
  // A request that is refused because the database is slow has no verdict. The limiter is not patient: Redis is silent on purpose.
  const { FAREBOX_DATABASE_TIMEOUT } = PATIENT;
  const gatewayEnvironment = {
    FAREBOX_DATABASE_TIMEOUT,
    DATABASE_URL: database.gatewayUrl,
    REDIS_URL: redis.url,
    FAREBOX_ANSWER_KEYS: ANSWER_KEYS,
    FAREBOX_RATE_LIMIT_REQUESTS: '1000000',
    FAREBOX_RATE_LIMIT_CONCURRENT: '100000',
  };
  const accountEnvironment = {
    FAREBOX_DATABASE_TIMEOUT,
    DATABASE_URL: database.accountUrl,
    FAREBOX_ACCOUNT_PORT: String(accountPort),
  };
  const [accountUrl, ...gatewayUrls] = await Promise.all([
    start('account', 0, accountPort, accountEnvironment),
    ...gatewayPorts.map((port, number) =>
      start('gateway', number, port, { ...gatewayEnvironment, FAREBOX_GATEWAY_PORT: String(port) }),
    ),
  ]);

  const admin = (...args: string[]): Promise<unknown> =>
    runToEnd({
      name: `admin ${args.join(' ')}`,
      args: [bundles.admin, ...args],
      cwd: folder,
      env: { ...environment, DATABASE_URL: database.ownerUrl },
    });
  return { gatewayUrls, accountUrl, pool: database.pool, redis, customers, upstreamCalls, admin };
}

/** A PostgreSQL for this test, with every role's login. */
export interface RevokeDatabase {
  ownerUrl: string;
  gatewayUrl: string;
  accountUrl: string;
  /** As the owner. */
  pool: pg.Pool;
  remove(): Promise<void>;
}

const DATABASE = 'revoke';

export async function startRevokeDatabase(): Promise<RevokeDatabase> {
  const postgres = await startTemporaryPostgres();
  const ownerUrl = postgres.server.url(DATABASE);
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 2 });
  const remove = async (): Promise<void> => {
    await pool.end();
    await postgres.remove();
  };
  try {
    await applyMigrations(ownerUrl);
    for (const login of [TEST_SERVICE_LOGIN, TEST_ACCOUNT_LOGIN, TEST_WORKER_LOGIN])
      await provideServiceLogin(ownerUrl, login);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    ownerUrl,
    gatewayUrl: urlFor(TEST_SERVICE_LOGIN, ownerUrl),
    accountUrl: urlFor(TEST_ACCOUNT_LOGIN, ownerUrl),
    pool,
    remove,
  };
}

/** A customer with one key at a time, which is taken from them repeatedly. */
export interface Customer {
  accountPublicId: string;
  sessionToken: string;
  keyPublicId: string;
  /** Every secret that they have had, in order. */
  secrets: string[];
  history: Change[];
}

const BALANCE_NANO = 1_000_000_000_000n;
const DAILY_REQUEST_CAP = 100_000_000;
const DAILY_SPEND_CAP_NANO = 1_000_000_000_000_000n;

/** Active accounts with a session each, and no key yet. */
export async function createCustomers(pool: pg.Pool, count: number): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let number = 0; number < count; number++) {
    const accountId = await givenAccount(pool, {
      balanceNano: BALANCE_NANO,
      dailyRequestCap: DAILY_REQUEST_CAP,
      dailySpendCapNano: DAILY_SPEND_CAP_NANO,
    });
    const { token } = await createSession(accountId, pool);
    const accountPublicId = toPublicId('acct', accountId);
    customers.push({ accountPublicId, sessionToken: token, keyPublicId: '', secrets: [], history: [] });
  }
  return customers;
}
