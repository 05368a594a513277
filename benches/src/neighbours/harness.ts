import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSession } from '@farebox/accounts';
import { applyCatalog, parseCatalog } from '@farebox/catalog';
import { sumClosedUsage } from '@farebox/ledger';
import {
  freePorts,
  locateRedis,
  RedisServer,
  ServiceProcess,
  TEST_ACCOUNT_LOGIN,
  TEST_SERVICE_LOGIN,
  TEST_WORKER_LOGIN,
  thisMachine,
  urlFor,
  waitForHttp,
  workspaceRoot,
} from '@farebox/local-services';
import pg from 'pg';
import { createCustomers, generateHistory, insertKeys, startBenchPostgres } from '../database';
import { AGENTS } from '../gateway/agent-answers';
import { WIRE_PATHS, type Wire } from '../gateway/conversation';
import { agentModelOf } from '../gateway/farebox-catalog';
import { IMAGE_ARGS, imageEnvironment } from '../image-options';
import { cpuMsOf, peakMibOf, postgresCpuReader, withProbe } from '../processes';
import { VECTORS, vectorsModelOf } from './long-bodies';

/** An upstream's report of its output. */
const REPORTED_TOKENS: Readonly<Record<string, string>> = {
  'reports-2-32': '4294967295',
  'reports-9e15': '9e15',
  'reports-past-2-63': '9300000000000000000',
};

/** The models of the harness. Each has the upstream of its name. */
const MODELS = ['plain', 'large', 'long', ...Object.keys(REPORTED_TOKENS)] as const;

const OUTPUT_TOKENS: Readonly<Record<string, string>> = { large: '4000000', long: '40000' };

/** Its prices allow one account to pay for any number of requests. */
function catalogOf(upstreamOrigin: string): string {
  const plain = MODELS.map((id) => ({
    ...{ id, path: id, wire: 'chat' },
    more: `output_price: 0.02
    context_window: ${id === 'large' ? '8000000' : '131072'}
    max_output_tokens: ${OUTPUT_TOKENS[id] ?? '4096'}
    tokenizer: o200k_base`,
  }));
  const models = [...plain, ...modelsOfLongBodies()];
  const upstreams = models.map(
    ({ id, path: from, wire }) =>
      `  - { id: ${id}, base_url: "${upstreamOrigin}/${from}/v1", wire: ${wire} }`,
  );
  const entries = models.map(
    ({ id, more }) => `  - id: ${id}
    routes: [{ upstream: ${id}, model: ${id} }]
    input_price: 0.01
    ${more}`,
  );
  return `upstreams:\n${upstreams.join('\n')}\nmodels:\n${entries.join('\n')}\n`;
}

interface HarnessModel {
  id: string;
  /** The first part of its upstream's path. */
  path: string;
  wire: string;
  more: string;
}

function modelsOfLongBodies(): HarnessModel[] {
  return [
    ...(Object.keys(WIRE_PATHS) as Wire[]).map((wire) => ({
      ...{ id: agentModelOf(wire), path: AGENTS.slice(1), wire },
      more: `output_price: 0.02
    context_window: 8000000
    max_output_tokens: 4096
    modalities: [text, image]
    image_tokens: 2000`,
    })),
    ...VECTORS.map((vectors) => ({
      ...{ id: vectorsModelOf(vectors), path: vectorsModelOf(vectors), wire: 'chat' },
      more: `kind: embeddings
    context_window: 8000000`,
    })),
  ];
}

/**
 * A customer with an account, many keys and a session. The victim's keys belong to several customers, each within
 * their limits.
 */
interface Neighbour {
  accountId: string;
  apiKeys: string[];
  sessionToken: string;
}

/** The delay of a process's event loop. */
export interface LoopDelay {
  count: number;
  p999Ms: number;
  maxMs: number;
  /** The longest first. */
  longestMs: number[];
  /** The part of them in which the process itself was at work: no more than its processor time. */
  ownLongestMs: number[];
  /** `ownLongestMs` without the pauses that V8 reports for its collections, but with its steps of marking. */
  besidePausesMs: number[];
}

/** The whole service as in a deployment, with the default limits. */
export interface NeighboursHarness {
  gatewayOrigin: string;
  accountOrigin: string;
  ownerUrl: string;
  pool: pg.Pool;
  victim: Neighbour;
  attacker: Neighbour;
  /** Ends the gateway, if it runs, and starts a fresh one. */
  restartGateway(): Promise<void>;
  /** For the gateway, since the last call. */
  readLoopDelay(): Promise<LoopDelay>;
  /** Processor time used so far; undefined if there is no /proc. */
  cpuMs(): { gateway: number; account: number; postgres: number } | undefined;
  /** The gateway's peak memory since its start; undefined if there is no /proc. */
  peakMib(): number | undefined;
  stop(): Promise<void>;
}

interface NeighboursHarnessOptions {
  history: number;
  say: (line: string) => void;
  /** The folder of the services' logs, if any. */
  logFolder?: string | undefined;
}

const KEYS = 150;
const OTHER_CUSTOMERS = 100;
/** As many as keep the victim's load within the limits of an account. */
const VICTIMS = 50;
const DAYS = 30;
const SHARE = 300;
const MODELS_IN_HISTORY = 50;

type Stop = () => Promise<unknown>;

export async function startNeighboursHarness(options: NeighboursHarnessOptions): Promise<NeighboursHarness> {
  const stops: Stop[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    return { ...(await startParts(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  { history, say, logFolder }: NeighboursHarnessOptions,
  stops: Stop[],
): Promise<Omit<NeighboursHarness, 'stop'>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-neighbours-'));
  stops.push(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startBenchPostgres({ fsync: true });
  stops.push(() => postgres.remove());
  const ownerUrl = await postgres.createDatabase('neighbours');
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 2 });
  stops.push(() => pool.end());
  const secrets = {
    FAREBOX_KEY_PEPPERS: `1:${randomBytes(32).toString('hex')}`,
    FAREBOX_ANSWER_KEYS: `1:${randomBytes(32).toString('hex')}`,
  };
  const [victim, attacker] = await createNeighbours(pool, secrets.FAREBOX_KEY_PEPPERS);
  if (history > 0) await remember(pool, attacker.accountId, history, say);

  const start = (name: string, args: readonly string[], env: Record<string, string>): ServiceProcess => {
    const logFile = logFolder === undefined ? {} : { logFile: path.join(logFolder, `${name}.log`) };
    const service = ServiceProcess.start({
      ...{ name, args, cwd: folder, ...logFile },
      env: { PATH: process.env['PATH'], FAREBOX_LOG_LEVEL: 'warn', ...secrets, ...env },
    });
    stops.push(() => service.stop());
    return service;
  };
  const bundleOf = (name: string): string => path.join(workspaceRoot(), 'dist', name, 'main.js');
  const benchOf = (name: string): string => path.join(workspaceRoot(), 'dist/benches', `${name}.js`);

  const upstream = start('upstream', [benchOf('neighbours-upstream'), JSON.stringify(REPORTED_TOKENS)], {});
  const line = await upstream.until(upstream.output.waitForLine('"event":"ready"'));
  const { port: upstreamPort } = JSON.parse(line) as { port: number };
  await applyCatalog(pool, parseCatalog(catalogOf(`http://127.0.0.1:${String(upstreamPort)}`), {}));

  const redisUrl = await startRedis(stops);
  const [gatewayPort = 0, accountPort = 0] = await freePorts(2);
  const [gatewayOrigin, accountOrigin] = [gatewayPort, accountPort].map(
    (port) => `http://127.0.0.1:${String(port)}`,
  ) as [string, string];
  const account = start('account', [bundleOf('account')], {
    DATABASE_URL: urlFor(TEST_ACCOUNT_LOGIN, ownerUrl),
    FAREBOX_ACCOUNT_PORT: String(accountPort),
  });
  const worker = start('worker', [bundleOf('worker')], {
    DATABASE_URL: urlFor(TEST_WORKER_LOGIN, ownerUrl),
    REDIS_URL: redisUrl,
    FAREBOX_LOG_LEVEL: 'info',
  });
  await account.until(waitForHttp(`${accountOrigin}/readyz`));
  await worker.until(worker.output.waitForLine('"event":"ready"'));

  const postgresCpuMs = await postgresCpuReader(pool);
  let gateway: ServiceProcess | undefined;
  let told = 0;
  const probed = withProbe('loop');
  return {
    ...{ gatewayOrigin, accountOrigin, ownerUrl, pool, victim, attacker },
    async restartGateway() {
      await gateway?.stop();
      told = 0;
      gateway = start('gateway', [...probed.args, ...IMAGE_ARGS, bundleOf('gateway')], {
        ...probed.env,
        ...imageEnvironment(),
        DATABASE_URL: urlFor(TEST_SERVICE_LOGIN, ownerUrl),
        REDIS_URL: redisUrl,
        FAREBOX_GATEWAY_PORT: String(gatewayPort),
      });
      await gateway.until(waitForHttp(`${gatewayOrigin}/readyz`));
    },
    async readLoopDelay() {
      if (!gateway) throw new Error('no gateway runs');
      gateway.signal('SIGUSR2');
      const text = `"event":"loop_delay","told":${String(++told)},`;
      return JSON.parse(await gateway.until(gateway.output.waitForLine(text))) as LoopDelay;
    },
    peakMib: () => gateway && peakMibOf(gateway),
    cpuMs() {
      const ofPostgres = postgresCpuMs();
      if (ofPostgres === undefined || !gateway) return undefined;
      return { gateway: cpuMsOf([gateway]), account: cpuMsOf([account]), postgres: ofPostgres };
    },
  };
}

/** A separate Redis for the harness, because attackers fill it. */
async function startRedis(stops: Stop[]): Promise<string> {
  const source = locateRedis({ ...thisMachine(() => undefined), env: {} });
  if (source.kind !== 'program') throw new Error('This bench starts a Redis of its own.');
  const redis = await RedisServer.start(source.path);
  stops.push(() => redis.remove());
  return redis.url;
}

async function createNeighbours(pool: pg.Pool, peppers: string): Promise<[Neighbour, Neighbour]> {
  const customers = await createCustomers(pool, 2 + OTHER_CUSTOMERS);
  const neighbours: Neighbour[] = [];
  const owners = customers.map(({ accountId }) => accountId);
  for (const [i, accountId] of owners.slice(0, 2).entries()) {
    const ownersOfKeys = i === 0 ? [accountId, ...owners.slice(2, 1 + VICTIMS)] : [accountId];
    const owned = Array.from(
      { length: KEYS },
      (_, key) => ownersOfKeys[key % ownersOfKeys.length] ?? accountId,
    );
    const apiKeys = await insertKeys(pool, owned, peppers);
    const { token } = await createSession(accountId, pool);
    neighbours.push({ accountId, apiKeys, sessionToken: token });
  }
  return neighbours as [Neighbour, Neighbour];
}

/** Old requests, most of them the attacker's. */
async function remember(
  pool: pg.Pool,
  accountId: string,
  requests: number,
  say: (line: string) => void,
): Promise<void> {
  say(`Making ${requests.toLocaleString('en')} old requests`);
  const shape = { accountId, share: SHARE, models: MODELS_IN_HISTORY };
  await generateHistory(pool, { requests, days: DAYS, shapes: [shape], onProgress: () => undefined });
  await sumClosedUsage(pool);
  await pool.query('VACUUM ANALYZE');
}
