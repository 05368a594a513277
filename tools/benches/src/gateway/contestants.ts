import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { verifyLedger } from '@farebox/ledger';
import {
  freePort,
  locateRedis,
  provideServiceLogin,
  RedisServer,
  runToEnd,
  ServiceProcess,
  thisMachine,
  urlFor,
  waitForHttp,
  workspaceRoot,
} from '@farebox/local-services';
import { startBenchPostgres } from '../database';
import type { Probe } from '../probe';
import { withProbe } from '../processes';

/** Something that clients can ask instead of the upstream. */
export interface Contestant {
  name: string;
  port: number;
  path: string;
  headers: Record<string, string>;
  /** How it is asked; model and `stream` are added. Default: as for chat completions. */
  toBody?: (prompt: string) => object;
  /** The processes whose processor time and memory count. None for the upstream itself. */
  processes: ServiceProcess[];
  stop(): Promise<void>;
}

interface Upstream {
  port: number;
  origin: string;
}

const PATH = '/v1/chat/completions';

/** The upstream itself, with nothing in front. */
export function direct(upstream: Upstream): Contestant {
  return {
    name: 'direct',
    port: upstream.port,
    path: PATH,
    headers: {},
    processes: [],
    stop: () => Promise.resolve(),
  };
}

/** A bare proxy: see `bare-proxy.ts`. */
export async function bareProxy(
  name: string,
  manner: 'dispatch' | 'request',
  upstream: Upstream,
): Promise<Contestant> {
  const port = await freePort();
  const service = ServiceProcess.start({
    name,
    args: [path.join(workspaceRoot(), 'dist/benches/bare-proxy.js'), manner],
    env: { PORT: String(port), UPSTREAM_ORIGIN: upstream.origin },
  });
  await service.until(waitForPort(port));
  return {
    name,
    port,
    path: PATH,
    headers: {},
    processes: [service],
    async stop() {
      await service.stop();
    },
  };
}

const PORTKEY_VERSION = '1.15.2';
/** With the newest one its streams do not work. */
const NODE_SERVER_VERSION = '1.14.1';

/** Portkey's gateway, from npm, in a folder of its own; it is installed there once. */
export async function portkey(upstream: Upstream, say: (line: string) => void): Promise<Contestant> {
  const folder = path.join(workspaceRoot(), '.farebox/bench', `portkey-${PORTKEY_VERSION}`);
  const script = path.join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  if (!existsSync(script)) await install(folder, say);
  const port = await freePort();
  const service = ServiceProcess.start({
    name: 'Portkey',
    args: [script, `--port=${String(port)}`, '--headless'],
    cwd: folder,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  });
  await service.until(waitForPort(port));
  return {
    name: `Portkey ${PORTKEY_VERSION}`,
    port,
    path: PATH,
    headers: {
      authorization: 'Bearer upstream',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstream.origin}/v1`,
    },
    processes: [service],
    async stop() {
      await service.stop();
    },
  };
}

async function install(folder: string, say: (line: string) => void): Promise<void> {
  say(`installing @portkey-ai/gateway ${PORTKEY_VERSION} into ${path.relative(workspaceRoot(), folder)}`);
  mkdirSync(folder, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { '@portkey-ai/gateway': PORTKEY_VERSION },
    overrides: { '@hono/node-server': NODE_SERVER_VERSION },
  };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  await runToEnd({
    name: 'npm install of Portkey',
    command: 'npm',
    args: ['install', '--ignore-scripts', '--no-audit', '--no-fund'],
    cwd: folder,
    env: process.env,
  });
}

interface RunningUpstream extends Upstream {
  stop(): Promise<unknown>;
}

/** Starts the fast upstream in a process of its own. */
export async function startUpstream(): Promise<RunningUpstream> {
  const service = ServiceProcess.start({
    name: 'upstream',
    args: [path.join(workspaceRoot(), 'dist/benches/fast-upstream.js')],
  });
  const line = await service.until(service.output.waitForLine('"event":"ready"'));
  const { port } = JSON.parse(line) as { port: number };
  return { port, origin: `http://127.0.0.1:${String(port)}`, stop: () => service.stop() };
}

const LONGEST_START_MS = 60_000;
const POLL_MS = 50;

/** Resolves when something listens there. */
async function waitForPort(port: number): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_START_MS;
  while (!(await isOpen(port))) {
    if (Date.now() > deadlineMs) throw new Error(`nothing listens on port ${String(port)}`);
    await sleep(POLL_MS);
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

export interface FareboxContestant extends Contestant {
  gateway: ServiceProcess;
  /** Throws if the books are not right, or a hold is left although nothing runs. */
  verify(): Promise<void>;
}

const LOGIN = { user: 'farebox_bench_service', password: 'bench' };

const catalogOf = (origin: string): string => `
upstreams:
  - { id: bench, base_url: "${origin}/v1" }
models:
  - id: bench
    routes: [{ upstream: bench, model: bench }]
    input_price: 1
    output_price: 2
    context_window: 8192
    max_output_tokens: 4096
    default_max_output_tokens: 256
    tokenizer: o200k_base
`;

/** This gateway in full: the built process, on a PostgreSQL that waits for the disk, and on Redis. */
export async function farebox(
  upstream: Upstream,
  say: (line: string) => void,
  { fsync, probe }: { fsync: boolean; probe?: Probe },
): Promise<FareboxContestant> {
  const stops: Stop[] = [];
  const postgres = await startBenchPostgres({ fsync });
  stops.push(() => postgres.remove());
  const ownerUrl = await postgres.createDatabase('farebox_gateway_bench');
  await provideServiceLogin(ownerUrl, LOGIN);
  const redisUrl = await redisFor(stops, say);
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-bench-'));
  stops.push(() => {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  });
  const port = await freePort();
  const secrets = {
    FAREBOX_KEY_PEPPERS: `1:${randomBytes(32).toString('hex')}`,
    FAREBOX_ANSWER_KEYS: `1:${randomBytes(32).toString('hex')}`,
  };
  const bundle = (name: string): string => path.join(workspaceRoot(), 'dist', name, 'main.js');
  const admin = async (...args: string[]): Promise<Record<string, unknown>> => {
    const lines = await runToEnd({
      name: `admin ${args.join(' ')}`,
      args: [bundle('admin'), ...args, '--json'],
      cwd: folder,
      env: { PATH: process.env['PATH'], DATABASE_URL: ownerUrl, ...secrets },
    });
    return JSON.parse(lines.join('\n')) as Record<string, unknown>;
  };
  writeFileSync(path.join(folder, 'catalog.yaml'), catalogOf(upstream.origin));
  await admin('catalog', 'apply', path.join(folder, 'catalog.yaml'));
  const key = await createKey(admin);

  const probed = probe && withProbe(probe);
  const service = ServiceProcess.start({
    name: 'gateway',
    args: [...(probed?.args ?? []), bundle('gateway')],
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: urlFor(LOGIN, ownerUrl),
      REDIS_URL: redisUrl,
      FAREBOX_GATEWAY_PORT: String(port),
      FAREBOX_RATE_LIMIT_REQUESTS: '1000000',
      FAREBOX_RATE_LIMIT_CONCURRENT: '100000',
      ...secrets,
      ...probed?.env,
    },
  });
  stops.push(() => service.stop());
  await service.until(waitForHttp(`http://127.0.0.1:${String(port)}/readyz`));

  return {
    name: 'Farebox',
    port,
    path: PATH,
    headers: { authorization: `Bearer ${key}` },
    processes: [service],
    gateway: service,
    verify: () => verifyBooks(ownerUrl),
    async stop() {
      for (const stop of stops.reverse()) await stop();
    },
  };
}

type Stop = () => Promise<unknown> | undefined;

/** A Redis that runs here anyway, or one of the bench's own. */
async function redisFor(stops: Stop[], say: (line: string) => void): Promise<string> {
  const source = locateRedis(thisMachine(say));
  if (source.kind === 'running') return source.url;
  const redis = await RedisServer.start(source.path);
  stops.push(() => redis.remove());
  return redis.url;
}

type Admin = (...args: string[]) => Promise<Record<string, unknown>>;

/** A customer with money and caps that no bench reaches. */
async function createKey(admin: Admin): Promise<string> {
  const created = await admin('account', 'create', '--email', 'bench@example.com', '--name', 'bench');
  const accountId = String(created['account_id']);
  await admin('account', 'activate', accountId);
  await admin('account', 'caps', accountId, '--daily-requests', '2000000000', '--daily-spend', '1000000');
  await admin('account', 'fund', accountId, '--amount', '1000000', '--reference', 'bench', '--yes');
  return String((await admin('key', 'create', accountId, '--name', 'bench'))['key']);
}

const LONGEST_SETTLING_MS = 15_000;
const HOLDS_POLL_MS = 100;

/** To be asked when nothing runs any more. Throws if a hold is left, or the books are not right. */
async function verifyBooks(databaseUrl: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  try {
    await untilNoHoldIsLeft(pool);
    const { ok, differences } = await verifyLedger(pool);
    if (!ok) throw new Error(`the books are not right: ${JSON.stringify(differences)}`);
  } finally {
    await pool.end();
  }
}

/** The last charges may still be on their way when the load is over. */
async function untilNoHoldIsLeft(pool: pg.Pool): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_SETTLING_MS;
  for (;;) {
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM hold');
    const count = rows[0]?.count ?? 0;
    if (count === 0) return;
    if (Date.now() > deadlineMs) throw new Error(`${String(count)} holds are left`);
    await sleep(HOLDS_POLL_MS);
  }
}
