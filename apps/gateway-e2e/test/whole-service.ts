import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, runToEnd, ServiceProcess, waitForHttp, workspaceRoot } from '@farebox/local-services';
import { startSimulatedUpstream, type SimulatedUpstream } from '@farebox/simulated-upstream';
import { createTestDatabase, modelOf, startTestRedis, type TestDatabase } from '@farebox/testing';
import { setTimeout as sleep } from 'node:timers/promises';

/** The built service as it runs anywhere: processes with environment variables, behind one base URL. */
export interface WholeService {
  /** The edge's address; clients append `/v1`. */
  baseUrl: string;
  gatewayUrls: string[];
  gateways: ServiceProcess[];
  db: TestDatabase;
  upstream: SimulatedUpstream;
  /** Runs an admin command as the owner of the database, and returns its JSON output. */
  admin(...args: string[]): Promise<Record<string, unknown>>;
  /** Starts another worker, which sweeps at once. */
  startWorker(): Promise<ServiceProcess>;
  close(): Promise<void>;
}

export interface WholeServiceOptions {
  gateways: number;
  /** Further environment of each gateway. */
  gatewayEnv?: (number: number) => Record<string, string>;
  /** Changes the code of every bundle before it is started. */
  changeCode?: (code: string) => string;
}

const KEY_PEPPERS = `1:${'5a'.repeat(32)}`;
const ANSWER_KEYS = `1:${'6b'.repeat(32)}`;

/** Generous because a busy machine may stall for many seconds. */
export const PATIENT = { FAREBOX_DATABASE_TIMEOUT: '60s', FAREBOX_RATE_LIMIT_TIMEOUT: '5s' };

const CATALOG = `
upstreams:
  - { id: sim, base_url: "\${FAREBOX_SIMULATED_UPSTREAM_URL}" }
models:
${[modelOf('small', 'sim-small'), modelOf('slow', 'sim-slow-3000'), modelOf('slower', 'sim-slow-12000'), modelOf('paced', 'sim-paced'), modelOf('endless', 'sim-paced-long')].join('')}
`;

export async function startWholeService({
  gateways: count,
  gatewayEnv,
  changeCode,
}: WholeServiceOptions): Promise<WholeService> {
  const db = await createTestDatabase();
  const redis = await startTestRedis();
  const upstream = await startSimulatedUpstream({ tokensPerSecond: 50 });
  const folder = mkdtempSync(join(tmpdir(), 'farebox-e2e-'));
  const [edgePort = 0, accountPort = 0, ...gatewayPorts] = await freePorts(2 + count);
  const urlOf = (port: number): string => `http://127.0.0.1:${String(port)}`;
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: db.serviceUrl,
    REDIS_URL: redis.url,
    FAREBOX_KEY_PEPPERS: KEY_PEPPERS,
    FAREBOX_ANSWER_KEYS: ANSWER_KEYS,
    FAREBOX_SIMULATED_UPSTREAM_URL: upstream.url,
    ...PATIENT,
  };
  const running: ServiceProcess[] = [];
  // Each is copied once: a process may still be reading it when the next one starts.
  const bundles = new Map<string, string>();
  const bundled = (name: string): string => {
    const main = bundles.get(name) ?? bundleOf(name, folder);
    if (changeCode && !bundles.has(name)) writeFileSync(main, changeCode(readFileSync(main, 'utf8')));
    bundles.set(name, main);
    return main;
  };
  const adminBundle = bundled('admin');

  const start = (name: string, more: Record<string, string>): ServiceProcess => {
    const service = ServiceProcess.start({
      name,
      args: [bundled(name)],
      cwd: folder,
      env: { ...env, ...more },
    });
    running.push(service);
    return service;
  };
  const admin = async (...args: string[]): Promise<Record<string, unknown>> => {
    const command = [adminBundle, ...args, '--json'];
    const lines = await runToEnd({
      name: `admin ${args.join(' ')}`,
      args: command,
      cwd: folder,
      env: { ...env, DATABASE_URL: db.url },
    });
    return JSON.parse(lines.join('\n')) as Record<string, unknown>;
  };

  writeFileSync(join(folder, 'catalog.yaml'), CATALOG);
  await admin('catalog', 'apply', join(folder, 'catalog.yaml'));
  const gatewayServices = gatewayPorts.map((port, number) =>
    start('gateway', { ...gatewayEnv?.(number), FAREBOX_GATEWAY_PORT: String(port) }),
  );
  const gatewayUrls = gatewayPorts.map(urlOf);
  const account = start('account', {
    DATABASE_URL: db.accountUrl,
    FAREBOX_ACCOUNT_PORT: String(accountPort),
  });
  const edge = start('edge', {
    FAREBOX_PORT: String(edgePort),
    FAREBOX_EDGE_GATEWAY_URLS: gatewayUrls.join(','),
    FAREBOX_EDGE_ACCOUNT_URL: urlOf(accountPort),
  });
  for (const [i, service] of gatewayServices.entries()) {
    await service.until(waitForHttp(`${gatewayUrls[i] ?? ''}/readyz`));
  }
  await account.until(waitForHttp(`${urlOf(accountPort)}/readyz`));
  await edge.until(waitForHttp(`${urlOf(edgePort)}/readyz`));

  return {
    baseUrl: urlOf(edgePort),
    gatewayUrls,
    gateways: gatewayServices,
    db,
    upstream,
    admin,
    async startWorker() {
      const worker = start('worker', { DATABASE_URL: db.workerUrl });
      await worker.until(worker.output.waitForLine('"event":"ready"'));
      return worker;
    },
    async close() {
      await Promise.all(running.map((service) => service.stop()));
      await upstream.close();
      await redis.remove();
      await db.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An active account with money, a key and a session, made as an operator and a customer make them. */
export async function givenCustomer(
  service: WholeService,
  email: string,
  amountUsd: string,
): Promise<{ accountId: string; sessionToken: string; apiKey: string; keyPublicId: string }> {
  const accountId = String(
    (await service.admin('account', 'create', '--email', email, '--name', 'Ada'))['account_id'],
  );
  await service.admin('account', 'activate', accountId);
  const payment = ['--amount', amountUsd, '--reference', `wire-${email}`, '--yes'];
  await service.admin('account', 'fund', accountId, ...payment);
  const sessionToken = String((await service.admin('session', 'create', accountId))['session_token']);
  const response = await fetch(`${service.baseUrl}/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sessionToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'e2e' }),
  });
  const { key, key_public_id } = (await response.json()) as { key: string; key_public_id: string };
  return { accountId, sessionToken, apiKey: key, keyPublicId: key_public_id };
}

/** A copy of an app's bundle outside the checkout, where it finds no node_modules. */
export function bundleOf(name: string, folder: string): string {
  const copy = join(folder, name);
  const isCode = (path: string): boolean => !path.endsWith('.map');
  cpSync(join(workspaceRoot(), 'dist', name), copy, { recursive: true, filter: isCode });
  return join(copy, 'main.js');
}

const POLL_MS = 50;

/** Polls until a state is reached; returns whether that happened before the deadline. */
export async function waitUntil(
  isReached: () => boolean | Promise<boolean>,
  boundMs: number,
): Promise<boolean> {
  const deadlineMs = Date.now() + boundMs;
  while (!(await isReached())) {
    if (Date.now() > deadlineMs) return false;
    await sleep(POLL_MS);
  }
  return true;
}
