import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, ServiceProcess, waitForHttp } from '@farebox/local-services';
import { startSimulatedUpstream } from '@farebox/simulated-upstream';
import { bundleOf } from '../../app-bundle';
import { nameInBody } from '../load/planned-request';
import { applyModels } from './catalog';
import { createCustomers, KEY_PEPPER, type Customer } from './customers';
import { startCrashDatabase, type CrashDatabase } from './database';
import { RestartableProcess } from './restartable-process';

/** The service as it runs in production, and what a test needs to break it. */
export interface CrashStand {
  gateways: readonly (RestartableProcess & { url: string })[];
  worker: RestartableProcess;
  database: CrashDatabase;
  customers: readonly Customer[];
  /** How often the upstream was asked, by the name of the request. */
  upstreamCalls: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export interface CrashStandOptions {
  gateways: number;
  leaseMs: number;
  redisUrl: string;
  /** Where the processes' output is kept, if anywhere. */
  logFolder?: string | undefined;
}

const ANSWER_KEY = '6b'.repeat(32);
const TOKENS_PER_SECOND = 60;

type Removal = () => Promise<void>;

/** Starts all of it, on ports that its processes keep over their restarts. */
export async function startCrashStand(options: CrashStandOptions): Promise<CrashStand> {
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
  { gateways: count, leaseMs, redisUrl, logFolder }: CrashStandOptions,
  removals: Removal[],
): Promise<Omit<CrashStand, 'close'>> {
  const upstreamCalls = new Map<string, number>();
  const upstream = await startSimulatedUpstream({
    tokensPerSecond: TOKENS_PER_SECOND,
    onRequest({ body }) {
      const name = nameInBody(body);
      upstreamCalls.set(name, (upstreamCalls.get(name) ?? 0) + 1);
    },
  });
  removals.push(() => upstream.close());
  const database = await startCrashDatabase();
  removals.push(() => database.remove());
  await applyModels(database.pool, upstream.url);
  const customers = await createCustomers(database.pool);

  const folder = mkdtempSync(join(tmpdir(), 'farebox-crash-'));
  removals.push(() => rm(folder, { recursive: true, force: true }));
  const start = starterOf(folder, logFolder, {
    DATABASE_URL: database.serviceUrl,
    REDIS_URL: redisUrl,
    // A worker says in its log that it is ready.
    FAREBOX_LOG_LEVEL: 'info',
  });

  const worker = new RestartableProcess(
    () => start('worker', 'worker', { DATABASE_URL: database.workerUrl }),
    (process) => process.output.waitForLine('"event":"ready"'),
  );
  const gateways = (await freePorts(count)).map((port, number) => {
    const url = `http://127.0.0.1:${String(port)}`;
    const env = {
      FAREBOX_GATEWAY_PORT: String(port),
      FAREBOX_KEY_PEPPERS: `1:${KEY_PEPPER}`,
      FAREBOX_ANSWER_KEYS: `1:${ANSWER_KEY}`,
      FAREBOX_LEASE: `${String(leaseMs)}ms`,
      FAREBOX_RATE_LIMIT_REQUESTS: '1000000',
      FAREBOX_RATE_LIMIT_CONCURRENT: '100000',
    };
    const gateway = new RestartableProcess(
      () => start('gateway', `gateway-${String(number)}`, env),
      () => waitForHttp(`${url}/readyz`),
    );
    return Object.assign(gateway, { url });
  });
  for (const process of [worker, ...gateways]) removals.push(() => process.close());
  await Promise.all([worker, ...gateways].map((process) => process.start()));
  return { gateways, worker, database, customers, upstreamCalls };
}

type Start = (app: string, name: string, env: Record<string, string>) => ServiceProcess;

/** Starts bundles in `folder`. Each start has a log file of its own, where there is a folder for it. */
function starterOf(folder: string, logFolder: string | undefined, common: Record<string, string>): Start {
  const bundles = { gateway: bundleOf('gateway', folder), worker: bundleOf('worker', folder) };
  let starts = 0;
  return (app, name, env) => {
    starts++;
    return ServiceProcess.start({
      name,
      args: [bundles[app === 'worker' ? 'worker' : 'gateway']],
      cwd: folder,
      env: { PATH: process.env['PATH'], ...common, ...env },
      ...(logFolder === undefined ? {} : { logFile: join(logFolder, `${name}-${String(starts)}.log`) }),
    });
  };
}
