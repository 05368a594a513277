import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApiKeySecret, createKeyHasher } from '@farebox/auth';
import { applyCatalog, parseCatalog, readPrices } from '@farebox/catalog';
import { createHttpServer } from '@farebox/http';
import { verifyLedger } from '@farebox/ledger';
import { createLogger, type Telemetry } from '@farebox/observability';
import {
  SIMULATED_MODELS,
  startSimulatedUpstream,
  type ReceivedRequest,
  type SimulatedUpstream,
} from '@farebox/simulated-upstream';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  type GivenAccount,
  type GivenApiKey,
  showIfFailed,
  type TestDatabase,
  waitUntil,
} from '@farebox/testing';
import { compose, type GatewayService } from '../src/compose';
import type { GatewayConfig } from '../src/config';
import { toLimiterSettings } from '../src/limiter/request-limits';
import { expectDocumentedJson } from './documented-fetch';

/** A gateway in this process, with a real database and a simulated upstream, for integration tests. */
export interface GatewayHarness {
  url: string;
  db: TestDatabase;
  /** Without the gateway's own probes of failed models, which come at any time. */
  upstream: SimulatedUpstream;
  /** Number of those probes. */
  probes(): number;
  gateway: GatewayService;
  /** Everything logged so far. */
  logText(): string;
  givenKey(
    account?: GivenAccount,
    key?: GivenApiKey,
  ): Promise<{ secret: string; accountId: string; apiKeyId: string }>;
  /** Another key of an account. */
  givenKeyOf(accountId: string, key?: GivenApiKey): Promise<{ secret: string; apiKeyId: string }>;
  /**
   * Sends a chat completion; `more` is merged into the body. Checks a non-streamed answer, and an accepted
   * request, against the OpenAPI document.
   */
  complete(secret: string, model: string, more?: object, init?: RequestInit): Promise<Response>;
  /** Waits until no hold is left, and checks the books. */
  expectSettled(): Promise<void>;
  close(): Promise<void>;
}

export interface GatewayHarnessOptions {
  /** The text of another catalogue, for the URL of the simulated upstream. */
  catalog?: (upstreamUrl: string) => string | Promise<string>;
  /** Gets each log line. Default: all lines are kept, for `logText`. */
  onLogLine?: (line: string) => void;
  /** Metrics and traces, if a test looks at them. */
  telemetry?: Telemetry;
  /** Further environment variables that the catalogue names. */
  secrets?: Record<string, string>;
}

const PEPPERS = [{ version: 1, secret: Buffer.alloc(32, 7) }];
/** The environment variable with the secret of the simulated upstream. */
export const UPSTREAM_SECRET_VARIABLE = 'HARNESS_UPSTREAM_KEY';
/** The gateway's secret for the simulated upstream. It resembles the canary that no client may see. */
export const UPSTREAM_SECRET = 'sk-upstream-canary-harness';
const ANSWER_KEYS = [{ version: 1, secret: Buffer.alloc(32, 8) }];
export const TEN_DOLLARS_NANO = 10_000_000_000n;

/** A busy machine may stall for many seconds, which must not count as a fault. */
const PATIENT = {
  databaseTimeoutMs: 60_000,
  databaseStartTimeoutMs: 60_000,
  redisTimeoutMs: 5_000,
  leaseMs: 60_000,
};
export const PATIENT_UPSTREAM =
  'connect_timeout_ms: 60000, first_byte_timeout_ms: 60000, idle_timeout_ms: 60000';
export const HASTY_UPSTREAM = 'connect_timeout_ms: 500, first_byte_timeout_ms: 1000, idle_timeout_ms: 500';
/** Simulated models that the simulated upstream does not list. */
const MORE_MODELS = ['sim-paced-long', 'sim-slow-5000', 'sim-slow-3000', 'sim-slow-1000', 'sim-slow-200'];
/** Simulated models that never answer within a test's time limit. */
const NEVER_IN_TIME = ['slow', 'slow-5000', 'stalls'];

/** Models for embeddings. */
const EMBEDDERS = [
  'embed',
  ...[
    'contrary',
    'fixed',
    'slow',
    'slow-200',
    'slow-3000',
    'paced',
    'no-usage',
    'wrong-usage',
    'stalls',
    'breaks',
    'ends-early',
    'garbage',
  ],
  ...[
    'error-midstream',
    'html',
    'closes',
    'recovers',
    'refuses-400',
    'refuses-401',
    'refuses-500',
    'refuses-503',
  ],
].map((name) => (name === 'embed' ? name : `embed-${name}`));

const VENDORS =
  '    modalities: [text, file]\n    file_tokens: 500\n    extra_fields: [top_k, { name: chat_template_kwargs, prompt_tokens: 300 }]';

/** $1 per million prompt tokens and $2 per million output tokens: 1,000 and 2,000 nano-dollars a token. */
function catalogOf(upstreamUrl: string, deadUrl: string): string {
  const model = (id: string, routes: string, more = ''): string => `
  - id: ${id}
    routes: [${routes}]
    input_price: 1
    output_price: 2
    context_window: 8192
    max_output_tokens: 4096
    default_max_output_tokens: 100
    tokenizer: o200k_base
    prompt_overhead: { prompt: 16, message: 8 }
${more}`;
  const embedder = (name: string): string =>
    model(name, `{ upstream: ${/-(stalls|slow)$/.test(name) ? 'hasty' : 'sim'}, model: sim-${name} }`)
      .replace(/ +(output_price|max_output_tokens|default_max_output_tokens): .*\n/g, '')
      .concat('    kind: embeddings\n');
  const served = [...SIMULATED_MODELS, ...MORE_MODELS].map((name) => name.replace('sim-', ''));
  const routeOf = (name: string): string =>
    `{ upstream: ${NEVER_IN_TIME.includes(name) ? 'hasty' : 'sim'}, model: sim-${name} }`;
  const simulated = `base_url: "${upstreamUrl}", api_key_env: ${UPSTREAM_SECRET_VARIABLE}`;
  return `
upstreams:
  - { id: sim, ${simulated}, ${PATIENT_UPSTREAM} }
  - { id: hasty, ${simulated}, ${HASTY_UPSTREAM} }
  - { id: dead, base_url: "${deadUrl}", connect_timeout_ms: 500 }
models:
${served.map((name) => model(name, routeOf(name))).join('')}
${model('failover', '{ upstream: dead, model: x }, { upstream: sim, model: sim-refuses-500 }, { upstream: sim, model: sim-garbage }, { upstream: sim, model: sim-echo }')}
${model('dead', '{ upstream: dead, model: x }')}
${model('plain', '{ upstream: sim, model: sim-echo }').replace('    tokenizer: o200k_base\n', '')}
${model('eyes', '{ upstream: sim, model: sim-echo }', '    modalities: [text, image]\n    image_tokens: 1000')}
${model('vendors', '{ upstream: sim, model: sim-echo }', VENDORS)}
${model('vendors-stalls', '{ upstream: sim, model: sim-stalls }', VENDORS)}
${EMBEDDERS.map(embedder).join('')}
${model('off', '{ upstream: sim, model: sim-echo }', '    visibility: disabled')}
${model('of-beta', '{ upstream: sim, model: sim-echo }', '    visibility: { cohorts: [beta] }')}`;
}

/** `changed`: differences from the harness's own configuration. */
export async function startGatewayHarness(
  changed: Partial<GatewayConfig> = {},
  {
    catalog = (url) => catalogOf(url, 'http://127.0.0.1:9/v1'),
    onLogLine,
    telemetry,
    secrets: given = {},
  }: GatewayHarnessOptions = {},
): Promise<GatewayHarness> {
  const db = await createTestDatabase();
  const upstream = await startSimulatedUpstream({ tokensPerSecond: 50, apiKey: UPSTREAM_SECRET });
  await applyCatalog(db.pool, parseCatalog(await catalog(upstream.url), {}));
  const lines: string[] = [];
  const keep = (line: string): void => {
    lines.push(line);
    showIfFailed(line);
  };
  const log = createLogger({
    service: 'gateway',
    level: 'debug',
    destination: { write: onLogLine ?? keep },
  });
  const config = {
    databaseUrl: db.serviceUrl,
    redisUrl: undefined,
    isOnlyGateway: false,
    keyPeppers: PEPPERS,
    answerKeys: ANSWER_KEYS,
    keptBytesPerAnswer: 1_048_576,
    keptBytesPerAccount: 268_435_456,
    host: '127.0.0.1',
    port: 0,
    logLevel: 'debug' as const,
    consoleOrigins: [],
    requestLimits: toLimiterSettings({ requests: 100_000, windowMs: 60_000, concurrent: 1_000 }),
    memory: { bodiesBytes: 128 * 1024 * 1024, responsesBytes: 256 * 1024 * 1024 },
    ...PATIENT,
    drainTimeoutMs: 30_000,
    channelTimes: { stallTimeoutMs: 30_000, leastBytesPerSecond: 65_536, heartbeatMs: 15_000 },
    telemetry: { metrics: undefined, tracing: undefined },
    ...changed,
  };
  const secrets = { ...given, [UPSTREAM_SECRET_VARIABLE]: UPSTREAM_SECRET };
  const composed = await compose(config, log, secrets, telemetry);
  // A test may stop it before the harness does.
  let closing: Promise<void> | undefined;
  const gateway = {
    ...composed,
    close: (settleWithinMs?: number) => (closing ??= composed.close(settleWithinMs)),
  };
  const server = createHttpServer(gateway.app);
  const url = await listenOnFreePort(server);
  const hasher = createKeyHasher(PEPPERS);

  const givenKeyOf: GatewayHarness['givenKeyOf'] = async (accountId, key = {}) => {
    const secret = createApiKeySecret();
    const secretHmac = hasher.hash(secret).hmac;
    return { secret, apiKeyId: await givenApiKey(db.pool, accountId, { secretHmac, ...key }) };
  };

  return {
    url,
    db,
    upstream: { ...upstream, requests: () => upstream.requests().filter((received) => !isProbe(received)) },
    probes: () => upstream.requests().filter(isProbe).length,
    gateway,
    logText: () => lines.join(''),
    async givenKey(account = {}, key = {}) {
      const accountId = await givenAccount(db.pool, { balanceNano: TEN_DOLLARS_NANO, ...account });
      return { accountId, ...(await givenKeyOf(accountId, key)) };
    },
    givenKeyOf,
    async complete(secret, model, more = {}, init = {}) {
      const request = new Request(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Tell me something.' }], ...more }),
        ...init,
      });
      const requestBody = await request.clone().text();
      return expectDocumentedJson(request, requestBody, await fetch(request));
    },
    expectSettled: () => expectSettled(db),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await gateway.close();
      await upstream.close();
      await db.drop();
    },
  };
}

function isProbe({ body }: ReceivedRequest): boolean {
  const { messages, input, ...limits } = (body ?? {}) as {
    messages?: { content: unknown }[];
    input?: unknown;
    max_tokens?: unknown;
    max_output_tokens?: unknown;
  };
  const [only, ...others] = messages ?? (Array.isArray(input) ? (input as { content: unknown }[]) : []);
  const isShort = limits.max_tokens === 1 || limits.max_output_tokens === 16;
  return input === 'Hi' || (isShort && others.length === 0 && only?.content === 'Hi');
}

async function listenOnFreePort(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

async function expectSettled(db: TestDatabase): Promise<void> {
  await waitUntil(
    async () => (await db.pool.query('SELECT 1 FROM hold')).rowCount === 0,
    'every hold is resolved',
  );
  expect((await verifyLedger(db.pool, { readPrices })).differences).toEqual([]);
}

/** For terminal tests (`*.terminal.ts`), which import no test libraries themselves. */
export { waitUntil };
