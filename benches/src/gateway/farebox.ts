import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { readPrices } from '@farebox/catalog';
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
import { createCustomers, insertKeys, startBenchPostgres } from '../database';
import { IMAGE_ARGS, imageEnvironment } from '../image-options';
import type { Probe } from '../probe';
import { postgresCpuReader, readProcessStat, withProbe } from '../processes';
import { CHAT_PATH, type Contestant, type DatabasesCpuMs, type Upstream } from './contestants';
import { WIRE_PATHS } from './conversation';
import { agentModelOf, type CatalogOptions, FAILING_MODEL, toCatalog } from './farebox-catalog';

export interface FareboxContestant extends Contestant {
  gateway: ServiceProcess;
  /** The databases behind it. */
  databases: string;
  /** Throws if the books have differences, or if a hold is left although nothing runs. */
  verify(): Promise<void>;
  /** Number of requests charged so far. */
  countCharges(): Promise<number>;
}

type Stop = () => Promise<unknown> | undefined;

const LOGIN = { user: 'farebox_bench_service', password: 'bench' };

interface FareboxOptions extends CatalogOptions {
  fsync: boolean;
  /** Number of customers with a key each, beside the usual one. Default: none. */
  customers?: number;
  /** The probe inside the gateway. */
  probe?: Probe;
  /** Half of V8's young generation. Default: as in the image. */
  youngMib?: number;
}

/**
 * This whole gateway: the built process, on a PostgreSQL that waits for the disk, and on Redis, with a customer's
 * key.
 */
export async function farebox(
  upstream: Upstream,
  say: (line: string) => void,
  options: FareboxOptions,
): Promise<FareboxContestant> {
  const stops: Stop[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    return { ...(await startParts(upstream, say, options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  upstream: Upstream,
  say: (line: string) => void,
  options: FareboxOptions,
  stops: Stop[],
): Promise<Omit<FareboxContestant, 'stop'>> {
  const { fsync, customers = 0, probe, youngMib } = options;
  const postgres = await startBenchPostgres({ fsync });
  stops.push(() => postgres.remove());
  const ownerUrl = await postgres.createDatabase('farebox_gateway_bench');
  await provideServiceLogin(ownerUrl, LOGIN);
  const redisUrl = await redisFor(stops, say);
  const looked = await lookAtDatabases(ownerUrl, redisUrl);
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-bench-'));
  stops.push(() => {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  });
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
  writeFileSync(path.join(folder, 'catalog.yaml'), toCatalog(upstream, options));
  await admin('catalog', 'apply', path.join(folder, 'catalog.yaml'));
  const keys = await createKeys(ownerUrl, customers, secrets.FAREBOX_KEY_PEPPERS);
  const headers = toHeaders(await createKey(admin));
  const port = await freePort();
  const probed = probe && withProbe(probe);
  const gateway = ServiceProcess.start({
    name: 'gateway Farebox',
    args: [...(probed?.args ?? []), ...IMAGE_ARGS, bundle('gateway')],
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: urlFor(LOGIN, ownerUrl),
      REDIS_URL: redisUrl,
      FAREBOX_GATEWAY_PORT: String(port),
      ...imageEnvironment(youngMib),
      FAREBOX_RATE_LIMIT_REQUESTS: '1000000',
      FAREBOX_RATE_LIMIT_CONCURRENT: '100000',
      ...secrets,
      ...probed?.env,
    },
  });
  stops.push(() => gateway.stop());
  await gateway.until(waitForHttp(`http://127.0.0.1:${String(port)}/readyz`));
  return {
    name: 'Farebox',
    port,
    path: CHAT_PATH,
    headers,
    addressFor({ agent, manyKeys, outage }) {
      if (manyKeys) return keys.length > 0 ? { path: CHAT_PATH, headers: {}, keys } : undefined;
      if (outage) return { path: CHAT_PATH, headers, model: FAILING_MODEL };
      if (!agent) return undefined;
      const { client, upstream: served } = agent.wires;
      return { path: `/v1${WIRE_PATHS[client]}`, headers, model: agentModelOf(served) };
    },
    processes: [gateway],
    databasesCpuMs: looked.cpuMs,
    gateway,
    databases: looked.versions,
    verify: () => verifyBooks(ownerUrl),
    countCharges: () => countCharges(ownerUrl),
  };
}

/** A running Redis, or one of the bench's own. */
async function redisFor(stops: Stop[], say: (line: string) => void): Promise<string> {
  const source = locateRedis(thisMachine(say));
  if (source.kind === 'running') return source.url;
  const redis = await RedisServer.start(source.path);
  stops.push(() => redis.remove());
  return redis.url;
}

/** Versions, and functions that read the usage of PostgreSQL and Redis; those on other machines are omitted. */
async function lookAtDatabases(
  ownerUrl: string,
  redisUrl: string,
): Promise<{ versions: string; cpuMs: () => DatabasesCpuMs }> {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 1 });
  const { rows } = await pool.query<{ version: string }>(
    `SELECT current_setting('server_version') AS version`,
  );
  const postgresCpuMs = await postgresCpuReader(pool);
  await pool.end();
  const redis = new Redis(redisUrl);
  const info = await redis.info('server');
  redis.disconnect();
  const redisPid = /process_id:(\d+)/.exec(info)?.[1] ?? '';
  return {
    versions: `PostgreSQL ${rows[0]?.version ?? ''}, Redis ${/redis_version:(\S+)/.exec(info)?.[1] ?? ''}`,
    cpuMs: () => {
      const postgres = postgresCpuMs();
      return {
        ...(postgres === undefined ? {} : { postgres }),
        ...(isRedisHere(redisPid) ? { redis: readProcessStat(redisPid).cpuMs } : {}),
      };
    },
  };
}

/** Its process id belongs to its own machine, which may be another one. */
function isRedisHere(pid: string): boolean {
  try {
    return /^(?:redis|valkey)/.test(readFileSync(`/proc/${pid}/comm`, 'utf8'));
  } catch {
    return false;
  }
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

const toHeaders = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** Customers with a key each. Returns the headers with their keys. */
async function createKeys(
  ownerUrl: string,
  customers: number,
  peppers: string,
): Promise<Record<string, string>[]> {
  if (customers === 0) return [];
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 1 });
  try {
    const owners = (await createCustomers(pool, customers)).map(({ accountId }) => accountId);
    return (await insertKeys(pool, owners, peppers)).map(toHeaders);
  } finally {
    await pool.end();
  }
}

/** The holds must not be reduced. */
const LONGEST_STANDSTILL_MS = 60_000;
const HOLDS_POLL_MS = 100;

/** Call when nothing runs any more. Throws if a hold is left, or the books have differences. */
async function verifyBooks(databaseUrl: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  try {
    await untilNoHoldIsLeft(pool);
    const { ok, differences } = await verifyLedger(pool, { readPrices });
    if (!ok) throw new Error(`the books are not right: ${JSON.stringify(differences)}`);
  } finally {
    await pool.end();
  }
}

/**
 * The last charges may still be pending when the load is over: prompts of thousands of streams that were aborted
 * together are counted first.
 */
async function untilNoHoldIsLeft(pool: pg.Pool): Promise<void> {
  let fewest = Infinity;
  let deadlineMs = 0;
  for (;;) {
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM hold');
    const count = rows[0]?.count ?? 0;
    if (count === 0) return;
    if (count < fewest) deadlineMs = Date.now() + LONGEST_STANDSTILL_MS;
    fewest = Math.min(fewest, count);
    if (Date.now() > deadlineMs) throw new Error(`${String(count)} holds are left`);
    await sleep(HOLDS_POLL_MS);
  }
}

async function countCharges(databaseUrl: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM usage_record');
    return rows[0]?.count ?? 0;
  } finally {
    await pool.end();
  }
}
