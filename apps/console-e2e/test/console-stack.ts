import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePorts,
  type RedisServer,
  runToEnd,
  ServiceProcess,
  waitForHttp,
  workspaceRoot,
} from '@farebox/local-services';
import { startSimulatedUpstream, type SimulatedUpstream } from '@farebox/simulated-upstream';
import {
  createTestDatabase,
  modelOf,
  startSmtpReceiver,
  startTestRedis,
  type SmtpReceiver,
  type TestDatabase,
} from '@farebox/testing';
import type { Browser } from 'playwright-core';
import { startCardPayments, type CardPayments } from './card-payments';
import { launchChromium } from './chromium';
import { startEchoingUpstream } from './echoing-upstream';

/**
 * The built service as it runs anywhere, behind one base URL, with everything that the console's customer
 * meets.
 */
export interface ConsoleStack {
  /** The edge's address: the console, and the API beside it. */
  baseUrl: string;
  db: TestDatabase;
  mails: SmtpReceiver;
  payments: CardPayments;
  browser: Browser;
  /** The operator service's address, if it was asked for. */
  operatorUrl: string;
  /** Runs an admin command as the owner of the database, and returns its JSON output. */
  admin: (...args: string[]) => Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const SIMULATED = {
  small: 'sim-small',
  paced: 'sim-paced',
  broken: 'sim-refuses-500',
  // Paced: if all arrives at once, Chromium drops the text with the broken connection.
  breaking: 'sim-paced-breaks',
  thinking: 'sim-reasons',
  endless: 'sim-paced-long',
};

const catalogOf = (echoUrl: string): string => `
upstreams:
  - { id: sim, base_url: "\${FAREBOX_SIMULATED_UPSTREAM_URL}" }
  - { id: echo, base_url: "${echoUrl}" }
models:
${Object.entries(SIMULATED)
  .map(([id, model]) => modelOf(id, model))
  .join('')}
  - id: echo
    routes: [{ upstream: echo, model: echo }]
    modalities: [text, image]
    image_tokens: 100
    input_price: 3
    output_price: 3
    context_window: 8192
    max_output_tokens: 4096
    prompt_overhead: { prompt: 16, message: 8 }
    tokenizer: o200k_base
  - id: an-embed
    kind: embeddings
    routes: [{ upstream: sim, model: sim-embed }]
    input_price: 0.02
    context_window: 8192
    tokenizer: o200k_base
`;

const TOKENS_PER_SECOND = 25;

interface StackOptions {
  /** Whether operators have their service, too. */
  withOperator?: boolean;
}

/** Starts everything. If a part fails to start, the others are stopped again. */
export async function startConsoleStack(options: StackOptions = {}): Promise<ConsoleStack> {
  const opened: (() => Promise<unknown>)[] = [];
  // A part that does not stop must not keep the others running.
  const close = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const end of opened.splice(0).reverse()) await end().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'A part did not stop.');
  };
  try {
    return { ...(await open((end) => opened.push(end), options)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  onClose: (end: () => Promise<unknown>) => void,
  { withOperator = false }: StackOptions,
): Promise<Omit<ConsoleStack, 'close'>> {
  const browser = await launchChromium();
  onClose(() => browser.close());
  const db = await createTestDatabase();
  onClose(() => db.drop());
  const redis = await startTestRedis();
  onClose(() => redis.remove());
  const upstream = await startSimulatedUpstream({ tokensPerSecond: TOKENS_PER_SECOND });
  onClose(() => upstream.close());
  const echo = await startEchoingUpstream();
  onClose(() => echo.close());
  const mails = await startSmtpReceiver();
  onClose(() => mails.close());
  const payments = await startCardPayments();
  onClose(() => payments.close());
  const folder = mkdtempSync(join(tmpdir(), 'farebox-console-'));
  onClose(() => rm(folder, { recursive: true, force: true }));

  const ports = await freePorts(4);
  const [baseUrl = '', gatewayUrl = '', accountUrl = '', operatorUrl = ''] = ports.map(
    (port) => `http://127.0.0.1:${String(port)}`,
  );
  const env = environmentOf({ baseUrl, operatorUrl, redis, upstream, mails });
  const bundleOf = (app: string): string => join(workspaceRoot(), 'dist', app, 'main.js');
  const start = (app: string, own: Record<string, string>): ServiceProcess => {
    const process = ServiceProcess.start({
      name: app,
      args: [bundleOf(app)],
      cwd: folder,
      env: { ...env, ...own },
    });
    onClose(() => process.stop());
    return process;
  };
  const admin = async (...args: string[]): Promise<Record<string, unknown>> => {
    const lines = await runToEnd({
      name: `admin ${args.join(' ')}`,
      args: [bundleOf('admin'), ...args, '--json'],
      cwd: folder,
      env: { ...env, DATABASE_URL: db.url },
    });
    return JSON.parse(lines.join('\n')) as Record<string, unknown>;
  };

  writeFileSync(join(folder, 'catalog.yaml'), catalogOf(echo.url));
  await admin('catalog', 'apply', join(folder, 'catalog.yaml'));
  payments.tellTo(baseUrl);
  const [edgePort, gatewayPort, accountPort, operatorPort] = ports.map(String);
  const worker = start('worker', { DATABASE_URL: db.workerUrl, ...payments.environment.worker });
  const gateway = start('gateway', { DATABASE_URL: db.serviceUrl, FAREBOX_GATEWAY_PORT: gatewayPort ?? '' });
  const account = start('account', {
    DATABASE_URL: db.accountUrl,
    FAREBOX_ACCOUNT_PORT: accountPort ?? '',
    ...payments.environment.account,
  });
  const edge = start('edge', {
    FAREBOX_PORT: edgePort ?? '',
    FAREBOX_EDGE_GATEWAY_URLS: gatewayUrl,
    FAREBOX_EDGE_ACCOUNT_URL: accountUrl,
  });
  if (withOperator) {
    const operator = start('operator', {
      DATABASE_URL: db.operatorUrl,
      FAREBOX_OPERATOR_PORT: operatorPort ?? '',
    });
    await operator.until(waitForHttp(`${operatorUrl}/readyz`));
  }
  await Promise.all([
    worker.until(worker.output.waitForLine('"event":"ready"')),
    gateway.until(waitForHttp(`${gatewayUrl}/readyz`)),
    account.until(waitForHttp(`${accountUrl}/readyz`)),
    edge.until(waitForHttp(`${baseUrl}/readyz`)),
  ]);
  return { baseUrl, operatorUrl, db, mails, payments, browser, admin };
}

function environmentOf({
  baseUrl,
  operatorUrl,
  redis,
  upstream,
  mails,
}: {
  baseUrl: string;
  operatorUrl: string;
  redis: RedisServer;
  upstream: SimulatedUpstream;
  mails: SmtpReceiver;
}): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    REDIS_URL: redis.url,
    FAREBOX_KEY_PEPPERS: `1:${'5a'.repeat(32)}`,
    FAREBOX_ANSWER_KEYS: `1:${'6b'.repeat(32)}`,
    FAREBOX_WEBHOOK_KEYS: `1:${'7c'.repeat(32)}`,
    FAREBOX_WEBHOOK_HTTP: 'true',
    FAREBOX_SIMULATED_UPSTREAM_URL: upstream.url,
    FAREBOX_PUBLIC_URL: baseUrl,
    // A busy machine is slow, and no page may show an error for that.
    FAREBOX_DATABASE_TIMEOUT: '60s',
    FAREBOX_OPERATOR_URL: operatorUrl,
    // The edge, whose claims about its clients are trusted.
    FAREBOX_TRUSTED_PROXIES: '127.0.0.1',
    FAREBOX_MAIL_URL: mails.url,
    FAREBOX_MAIL_FROM: 'Farebox <farebox@example.com>',
  };
}
