import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, ServiceProcess, waitForHttp } from '@farebox/local-services';
import { startSimulatedUpstream } from '@farebox/simulated-upstream';
import { applyCatalog, parseCatalog, type TokenUsage } from '@farebox/catalog';
import type pg from 'pg';
import { createApiKeySecret, createKeyHasher } from '@farebox/auth';
import { givenAccount, givenApiKey, modelOf } from '@farebox/testing';
import { bundleOf } from './whole-service';
import { MODELS, nameInBody } from './chat-client';
import { startBreakableDatabase, type BreakableDatabase, type ServiceDatabase } from './breakable-database';
import { RestartableProcess } from './restartable-process';

/** The service as in production, with what a test needs to break it. */
export interface BreakableService<Database extends ServiceDatabase = BreakableDatabase> {
  gateways: readonly Gateway[];
  worker: RestartableProcess;
  database: Database;
  customers: readonly Customer[];
  /** Number of upstream calls, by the name of the request. */
  upstreamCalls: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export type Gateway = RestartableProcess & { readonly url: string };

export interface BreakableServiceOptions extends ServiceOptions<BreakableDatabase> {
  /** Settings of PostgreSQL. */
  postgres?: Readonly<Record<string, string>>;
}

export interface ServiceOptions<Database extends ServiceDatabase> {
  gateways: number;
  leaseMs: number;
  redisUrl: string;
  /** The opening balance of each customer's account. */
  openedWithNano: readonly bigint[];
  /** The pace of paced streams. */
  tokensPerSecond: number;
  /** Each gateway's route to the database, by its number, if it is not direct. */
  routeGateway?: (database: Database, gateway: number) => Promise<Route>;
  /** The environment of each gateway, by its number. */
  gatewayEnv?: (gateway: number) => Readonly<Record<string, string>>;
  workerEnv?: Readonly<Record<string, string>>;
  /** Called for every line that a process prints. */
  onLine?: (process: string, line: string) => void;
  /** Folder for the processes' output, if it is kept. */
  logFolder?: string | undefined;
}

/** A route to the database. */
export interface Route {
  url: string;
  close(): Promise<void>;
}

const ANSWER_KEY = '6b'.repeat(32);

type Removal = () => Promise<void>;

/** Starts everything, on a PostgreSQL with these settings. */
export async function startBreakableService({
  postgres,
  ...options
}: BreakableServiceOptions): Promise<BreakableService> {
  return startServiceOn(await startBreakableDatabase(postgres), options);
}

/** Starts everything else, on ports that the processes keep over their restarts. The service owns the database then. */
export async function startServiceOn<Database extends ServiceDatabase>(
  database: Database,
  options: ServiceOptions<Database>,
): Promise<BreakableService<Database>> {
  const removals: Removal[] = [() => database.remove()];
  const close = async (): Promise<void> => {
    for (const removal of removals.splice(0).reverse()) await removal();
  };
  try {
    return { ...(await startParts(database, options, removals)), database, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts<Database extends ServiceDatabase>(
  database: Database,
  options: ServiceOptions<Database>,
  removals: Removal[],
): Promise<Omit<BreakableService, 'close' | 'database'>> {
  const upstreamCalls = new Map<string, number>();
  const upstream = await startSimulatedUpstream({
    tokensPerSecond: options.tokensPerSecond,
    onRequest({ body }) {
      const name = nameInBody(body);
      upstreamCalls.set(name, (upstreamCalls.get(name) ?? 0) + 1);
    },
  });
  removals.push(() => upstream.close());
  await applyModels(database.pool, upstream.url);
  const customers = await createCustomers(database.pool, options.openedWithNano);
  const ports = await freePorts(options.gateways);
  const routes: Route[] = [];
  for (const number of ports.keys()) {
    const route = await options.routeGateway?.(database, number);
    if (!route) continue;
    routes[number] = route;
    removals.push(() => route.close());
  }

  const folder = mkdtempSync(join(tmpdir(), 'farebox-breakable-'));
  removals.push(() => rm(folder, { recursive: true, force: true }));
  const start = starterOf(folder, options);
  const worker = new RestartableProcess(
    () => start('worker', 'worker', { DATABASE_URL: database.workerUrl, ...options.workerEnv }),
    // A worker logs that it is ready.
    (process) => process.output.waitForLine('"event":"ready"'),
  );
  const gateways = ports.map((port, number): Gateway => {
    const url = `http://127.0.0.1:${String(port)}`;
    const env = {
      DATABASE_URL: routes[number]?.url ?? database.serviceUrl,
      FAREBOX_GATEWAY_PORT: String(port),
      FAREBOX_KEY_PEPPERS: `1:${KEY_PEPPER}`,
      FAREBOX_ANSWER_KEYS: `1:${ANSWER_KEY}`,
      FAREBOX_LEASE: `${String(options.leaseMs)}ms`,
      FAREBOX_RATE_LIMIT_REQUESTS: '1000000',
      FAREBOX_RATE_LIMIT_CONCURRENT: '100000',
      ...options.gatewayEnv?.(number),
    };
    const gateway = new RestartableProcess(
      () => start('gateway', `gateway-${String(number)}`, env),
      () => waitForHttp(`${url}/readyz`),
    );
    return Object.assign(gateway, { url });
  });
  for (const process of [worker, ...gateways]) removals.push(() => process.close());
  await Promise.all([worker, ...gateways].map((process) => process.start()));
  return { gateways, worker, customers, upstreamCalls };
}

type Start = (app: 'gateway' | 'worker', name: string, env: Record<string, string>) => ServiceProcess;

/** Starts bundles in `folder`. Each start has its own log file, if there is a folder for it. */
function starterOf(
  folder: string,
  { redisUrl, onLine, logFolder }: Pick<BreakableServiceOptions, 'redisUrl' | 'onLine' | 'logFolder'>,
): Start {
  const bundles = { gateway: bundleOf('gateway', folder), worker: bundleOf('worker', folder) };
  const common = { PATH: process.env['PATH'], REDIS_URL: redisUrl, FAREBOX_LOG_LEVEL: 'info' };
  let starts = 0;
  return (app, name, env) => {
    starts++;
    const service = ServiceProcess.start({
      name,
      args: [bundles[app]],
      cwd: folder,
      env: { ...common, ...env },
      ...(logFolder === undefined ? {} : { logFile: join(logFolder, `${name}-${String(starts)}.log`) }),
    });
    if (onLine)
      service.output.onLine((line) => {
        onLine(name, line);
      });
    return service;
  };
}

/** $1 per million prompt tokens and $2 per million output tokens. */
export function costNanoOf({ promptTokens, completionTokens }: TokenUsage): bigint {
  return BigInt(promptTokens) * 1_000n + BigInt(completionTokens) * 2_000n;
}

/** Puts the clients' models into the database. */
export async function applyModels(pool: pg.Pool, upstreamUrl: string): Promise<void> {
  const text = `
upstreams:
  - { id: sim, base_url: "${upstreamUrl}" }
models: ${Object.entries(MODELS)
    .map(([id, upstreamModel]) => modelOf(id, upstreamModel))
    .join('')}`;
  await applyCatalog(pool, parseCatalog(text, {}));
}

export interface Customer {
  accountId: string;
  apiKey: string;
  /** The opening balance of the account. */
  openedWithNano: bigint;
}

/** The gateways' setting in their environment. */
export const KEY_PEPPER = '5a'.repeat(32);

const DAILY_REQUEST_CAP = 100_000_000;
const DAILY_SPEND_CAP_NANO = 1_000_000_000_000_000n;

/** An active account with an API key for each of the amounts. */
export async function createCustomers(pool: pg.Pool, openedWithNano: readonly bigint[]): Promise<Customer[]> {
  const hasher = createKeyHasher([{ version: 1, secret: Buffer.from(KEY_PEPPER, 'hex') }]);
  const customers: Customer[] = [];
  for (const balanceNano of openedWithNano) {
    const accountId = await givenAccount(pool, {
      balanceNano,
      dailyRequestCap: DAILY_REQUEST_CAP,
      dailySpendCapNano: DAILY_SPEND_CAP_NANO,
    });
    const apiKey = createApiKeySecret();
    await givenApiKey(pool, accountId, { secretHmac: hasher.hash(apiKey).hmac });
    customers.push({ accountId, apiKey, openedWithNano: balanceNano });
  }
  return customers;
}
