import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, runToEnd, ServiceProcess } from '@farebox/local-services';
import { startSimulatedUpstream, type SimulatedUpstream } from '@farebox/simulated-upstream';
import {
  createTestDatabase,
  startFaultProxy,
  startOtlpReceiver,
  startSmtpReceiver,
  type FaultProxy,
  type OtlpReceiver,
  type SmtpReceiver,
  type TestDatabase,
} from '@farebox/testing';
import { randomBytes } from 'node:crypto';
import { bundleOf, PATIENT } from './whole-service';

export const APPS = ['gateway', 'account', 'worker'] as const;
export type App = (typeof APPS)[number];

/** The built service with everything that it reports to: logs, metrics, traces and mails. */
export interface ObservedService {
  /** The addresses of gateway and account. */
  urls: Record<'gateway' | 'account', string>;
  metricsUrls: Record<App, string>;
  processes: Record<App, ServiceProcess>;
  db: TestDatabase;
  /** Between the service and its database. */
  line: FaultProxy;
  upstream: SimulatedUpstream;
  smtp: SmtpReceiver;
  collector: OtlpReceiver;
  /** Everything that gateway, account and worker have printed so far. */
  printed(): string;
  admin(...args: string[]): Promise<Record<string, unknown>>;
  bundleOf(app: App): string;
  /** The status of an app's `/readyz`, 0 without an answer. */
  readinessOf(app: App): Promise<number>;
  /** Ends every process, and waits for its last lines. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface ObservedServiceOptions {
  /** Environment of every process, for the port of the mail server. */
  envOf?: (mailPort: number) => Record<string, string>;
  /** The customers' names for the models that the upstream simulates. */
  models: readonly string[];
}

/** Environment variable with the secret of the simulated upstream. */
export const UPSTREAM_SECRET_VARIABLE = 'OBSERVED_UPSTREAM_KEY';

export const PUBLIC_URL = 'https://farebox.test';

const catalogOf = (models: readonly string[]): string => `
upstreams:
  - { id: sim, base_url: "\${FAREBOX_SIMULATED_UPSTREAM_URL}", api_key_env: ${UPSTREAM_SECRET_VARIABLE}, first_byte_timeout_ms: 60000, idle_timeout_ms: 60000 }
models:${models
  .map(
    (id) => `
  - id: ${id}
    routes: [{ upstream: sim, model: sim-${id} }]
    input_price: 1
    output_price: 2
    context_window: 8192
    max_output_tokens: 4096
    default_max_output_tokens: 100
    prompt_overhead: { prompt: 16, message: 8 }
    tokenizer: o200k_base`,
  )
  .join('')}
`;

export async function startObservedService({
  envOf,
  models,
}: ObservedServiceOptions): Promise<ObservedService> {
  const db = await createTestDatabase();
  const line = await startFaultProxy(Number(new URL(db.url).port));
  const smtp = await startSmtpReceiver();
  const env = envOf?.(smtp.port) ?? {};
  const upstreamKey = env[UPSTREAM_SECRET_VARIABLE];
  const upstream = await startSimulatedUpstream({
    tokensPerSecond: 50,
    ...(upstreamKey ? { apiKey: upstreamKey } : {}),
  });
  const collector = await startOtlpReceiver();
  const folder = mkdtempSync(join(tmpdir(), 'farebox-observed-'));
  const [gatewayPort = 0, accountPort = 0, ...metricsPorts] = await freePorts(2 + APPS.length);
  const urlOf = (port: number | undefined): string => `http://127.0.0.1:${String(port)}`;
  const given = {
    PATH: process.env['PATH'],
    FAREBOX_KEY_PEPPERS: `1:${'5a'.repeat(32)}`,
    FAREBOX_ANSWER_KEYS: `1:${'6b'.repeat(32)}`,
    FAREBOX_SIMULATED_UPSTREAM_URL: upstream.url,
    FAREBOX_PUBLIC_URL: PUBLIC_URL,
    FAREBOX_LOG_LEVEL: 'debug',
    [UPSTREAM_SECRET_VARIABLE]: 'a secret of the upstream',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ...PATIENT,
    ...env,
  };

  async function admin(...args: string[]): Promise<Record<string, unknown>> {
    const command = [bundleOf('admin', folder), ...args, '--json'];
    const options = { name: `admin ${args.join(' ')}`, args: command, cwd: folder };
    const lines = await runToEnd({ ...options, env: { ...given, DATABASE_URL: db.url } });
    return JSON.parse(lines.join('\n')) as Record<string, unknown>;
  }

  const logOf = (app: App): string => join(folder, `${app}.log`);
  const start = (app: App, databaseUrl: string, own: Record<string, string>): ServiceProcess =>
    ServiceProcess.start({
      name: app,
      args: [bundleOf(app, folder)],
      cwd: folder,
      logFile: logOf(app),
      env: {
        ...given,
        DATABASE_URL: line.through(databaseUrl),
        FAREBOX_METRICS_PORT: String(metricsPorts[APPS.indexOf(app)]),
        ...own,
      },
    });

  writeFileSync(join(folder, 'catalog.yaml'), catalogOf(models));
  await admin('catalog', 'apply', join(folder, 'catalog.yaml'));
  const mailEnv = { FAREBOX_MAIL_URL: smtp.url, FAREBOX_MAIL_FROM: 'Farebox <farebox@example.com>' };
  const processes = {
    gateway: start('gateway', db.serviceUrl, { FAREBOX_GATEWAY_PORT: String(gatewayPort) }),
    account: start('account', db.accountUrl, { FAREBOX_ACCOUNT_PORT: String(accountPort) }),
    worker: start('worker', db.workerUrl, { ...mailEnv, ...env }),
  };
  const all = Object.values(processes);
  for (const one of all) await one.until(one.output.waitForLine('"event":"ready"'));
  const urls = { gateway: urlOf(gatewayPort), account: urlOf(accountPort) };
  const metricsUrls = {
    gateway: urlOf(metricsPorts[0]),
    account: urlOf(metricsPorts[1]),
    worker: urlOf(metricsPorts[2]),
  };

  async function stop(): Promise<void> {
    await Promise.all(all.map((one) => one.stop(40_000)));
  }

  return {
    urls,
    metricsUrls,
    processes,
    db,
    line,
    upstream,
    smtp,
    collector,
    printed: () => APPS.map((app) => readFileSync(logOf(app), 'utf8')).join(''),
    admin,
    bundleOf: (app) => bundleOf(app, folder),
    readinessOf: (app) =>
      fetch(`${app === 'worker' ? metricsUrls.worker : urls[app]}/readyz`).then(
        ({ status }) => status,
        () => 0,
      ),
    stop,
    async close() {
      await stop();
      await line.close();
      await Promise.all([upstream.close(), smtp.close(), collector.close()]);
      await db.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An active account with money and a key, made as an operator makes them. */
export async function givenObservedCustomer(
  service: ObservedService,
  email: string,
): Promise<{ accountId: string; sessionToken: string; apiKey: string; keyPublicId: string }> {
  const accountId = String(
    (await service.admin('account', 'create', '--email', email, '--name', 'Ada'))['account_id'],
  );
  await service.admin('account', 'activate', accountId);
  await service.admin(
    'account',
    'fund',
    accountId,
    '--amount',
    '5.00',
    '--reference',
    `wire-${accountId}`,
    '--yes',
  );
  const sessionToken = String((await service.admin('session', 'create', accountId))['session_token']);
  const response = await fetch(`${service.urls.account}/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sessionToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'observed' }),
  });
  const { key, key_public_id } = (await response.json()) as { key: string; key_public_id: string };
  return { accountId, sessionToken, apiKey: key, keyPublicId: key_public_id };
}

/** A text that occurs nowhere else. */
const mark = (name: string): string => `canary-${name}-${randomBytes(6).toString('hex')}`;
const hex = (): string => randomBytes(32).toString('hex');

/** Secrets that an operator gives the processes, each recognisable wherever it leaks. */
export const OPERATOR_SECRETS = {
  pepper: hex(),
  answerKey: hex(),
  upstreamKey: `sk-${mark('upstream-key')}`,
  stripeKey: `sk_test_${mark('stripe-key').replaceAll('-', '')}`,
  stripeWebhook: `whsec_${mark('stripe-webhook').replaceAll('-', '')}`,
  mailPassword: mark('mail-password'),
  collectorToken: mark('collector-token'),
};

/** Texts that customers write and receive. */
export const CUSTOMER_SECRETS = {
  email: `${mark('person')}@example.com`,
  prompt: mark('prompt'),
  idempotencyKey: mark('idempotency-key'),
  unknownField: mark('field'),
  path: mark('path'),
  query: mark('query'),
  headerValue: mark('header'),
  brokenJson: mark('broken-json'),
  brokenHttp: mark('broken-http'),
  keyName: mark('key-name'),
  paymentEvent: mark('payment-event'),
  mailServerWords: mark('mail-server-words'),
};

/** The environment with the operator's secrets; the mail server is the one at `port`. */
export function environmentWithSecrets(mailPort: number): Record<string, string> {
  const { pepper, answerKey, upstreamKey, stripeKey, stripeWebhook, mailPassword, collectorToken } =
    OPERATOR_SECRETS;
  return {
    FAREBOX_KEY_PEPPERS: `1:${pepper}`,
    FAREBOX_ANSWER_KEYS: `1:${answerKey}`,
    [UPSTREAM_SECRET_VARIABLE]: upstreamKey,
    FAREBOX_STRIPE_SECRET_KEY: stripeKey,
    FAREBOX_STRIPE_WEBHOOK_SECRET: stripeWebhook,
    // Nothing listens there: each call to it fails.
    FAREBOX_STRIPE_API_URL: 'http://127.0.0.1:9',
    FAREBOX_MAIL_URL: `smtp://mailer:${mailPassword}@127.0.0.1:${String(mailPort)}`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${collectorToken}`,
  };
}
