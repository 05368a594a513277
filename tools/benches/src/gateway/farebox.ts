import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
import { startBenchPostgres } from '../postgres';
import { type Contestant, PATH, type Upstream } from './contestants';

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
  { fsync, nodeOptions = [] }: { fsync: boolean; nodeOptions?: readonly string[] },
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

  const service = ServiceProcess.start({
    name: 'gateway',
    args: [...nodeOptions, bundle('gateway')],
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: urlFor(LOGIN, ownerUrl),
      REDIS_URL: redisUrl,
      FAREBOX_GATEWAY_PORT: String(port),
      FAREBOX_RATE_LIMIT_REQUESTS: '1000000',
      FAREBOX_RATE_LIMIT_CONCURRENT: '100000',
      ...secrets,
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

const LONGEST_WAIT_MS = 15_000;
const POLL_MS = 100;

/** To be asked when nothing runs any more. Throws if a hold is left, or the books are not right. */
export async function verifyBooks(databaseUrl: string): Promise<void> {
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
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM hold');
    const count = rows[0]?.count ?? 0;
    if (count === 0) return;
    if (Date.now() > deadlineMs) throw new Error(`${String(count)} holds are left`);
    await sleep(POLL_MS);
  }
}
