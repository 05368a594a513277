import { findSession, identifyApiKey, openAccounts } from '@farebox/accounts';
import { createKeyHasher } from '@farebox/auth';
import { readCatalog } from '@farebox/catalog';
import { isLoopback } from '@farebox/config';
import { assertMigrated, createDatabaseProbe, createPool, reachDatabase } from '@farebox/database';
import {
  createRequestMeter,
  readConsoleFiles,
  RequestBodies,
  RequestRecorder,
  UnwrittenResponses,
  type PublicDocument,
  type Readiness,
  type Route,
} from '@farebox/http';
import { quietTelemetry, type Logger, type Telemetry } from '@farebox/observability';
import { loadPublicDocuments } from '@farebox/api/documents';
import { createWebhookSecrets } from '@farebox/webhooks';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { createApp } from './app';
import { assertAccountRole } from './assert-account-role';
import type { AccountConfig } from './config';
import { accountEndpoints, serviceDocument } from './http/account';
import { apiKeyEndpoints } from './http/api-keys';
import { billingEndpoints, invoiceEndpoints, stripeWebhookEndpoint } from './http/billing';
import { billingDetailsEndpoints } from './http/billing-details';
import { creditNoteEndpoints } from './http/credit-notes';
import { deviceEndpoints } from './http/devices';
import { proofEndpoints, rootEndpoint } from './http/ledger-roots';
import type { OpenEndpoint } from './http/endpoint';
import { securityDocument } from './http/security-txt';
import { sessionEndpoints, signInEndpoints } from './http/sign-in';
import { paymentReceiptEndpoints } from './http/payment-receipts';
import { receiptEndpoints } from './http/receipts';
import { statementEndpoints } from './http/statements';
import { topUpEndpoints } from './http/top-ups';
import { usageEndpoints } from './http/usage';
import { webhookEndpoints } from './http/webhooks';
import { voucherEndpoints } from './http/vouchers';
import { bindUseCases } from './use-cases/bind-use-cases';
import { receivePaymentEvent, type CardPayments } from './use-cases/billing';
import { requireOfferedModels } from './use-cases/offered-models';

interface AccountService {
  app: RequestListener;
  readiness: Readiness;
  /** Everything it serves, apart from health checks. */
  routes: readonly Route[];
  /** Makes `/readyz` fail from now on. */
  beginDrain(): void;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 10;
/** Share of the timeout spent connecting, so that a dead server fails before a slow one answers. */
const CONNECT_SHARE = 2 / 3;

/**
 * Creates the clients of the service and connects its parts. Throws if the database is not in the state that
 * this code needs.
 */
export async function compose(
  config: AccountConfig,
  log: Logger,
  { metrics, tracer }: Telemetry = quietTelemetry(),
): Promise<AccountService> {
  const pool = createPool({
    url: config.databaseUrl,
    max: MAX_CONNECTIONS,
    applicationName: 'farebox-account',
    connectTimeoutMs: config.databaseTimeoutMs * CONNECT_SHARE,
    statementTimeoutMs: config.databaseTimeoutMs,
    shortQueries: true,
    onConnectionLost: (error) => {
      log.warn({ event: 'database_connection_lost', error }, 'lost an idle database connection');
    },
  });
  const reach = reachDatabase({
    timeoutMs: config.databaseStartTimeoutMs,
    onWait: (error) => {
      log.warn({ event: 'database_awaited', error }, 'waiting for an unreachable database');
    },
  });
  await reach(() => assertMigrated(pool));
  await reach(() => assertAccountRole(pool));
  const { brand } = config;
  const accounts = openAccounts(pool);
  const catalog = () => readCatalog(pool);
  const hasher = createKeyHasher(config.keyPeppers);
  const cookieRules = { isSecure: !isLoopback(config.publicUrl) };
  const cardPayments = await composeCardPayments(config, pool, log);
  const canWrite = createDatabaseProbe(pool);
  let draining = false;
  const readiness = { isReady: async () => !draining && (await canWrite()) };
  const drainGauge = metrics.gauge('farebox_draining');
  metrics.beforeScrape(() => {
    drainGauge.set(draining);
  });

  const requireOffered = requireOfferedModels(accounts, catalog);
  const { webhookKeys, webhookHttp: allowsHttp } = config;
  const webhooks = webhookKeys && { secrets: createWebhookSecrets(webhookKeys), allowsHttp };
  const useCases = bindUseCases({ pool, accounts, readCatalog: catalog }, cardPayments, webhooks);
  const endpoints = [
    ...accountEndpoints(useCases.account, config.requestLimits),
    ...apiKeyEndpoints(useCases.apiKeys, { hasher, requireOffered }),
    ...deviceEndpoints(useCases.devices),
    ...webhookEndpoints(useCases),
    ...usageEndpoints(useCases.usage, brand),
    ...billingEndpoints(useCases, brand),
    ...proofEndpoints(useCases.proofs),
    ...billingDetailsEndpoints(useCases.billingDetails),
    ...topUpEndpoints(useCases, brand),
    ...voucherEndpoints(useCases.vouchers),
    ...invoiceEndpoints(useCases.invoices, brand),
    ...paymentReceiptEndpoints(useCases.paymentReceipts, brand),
    ...creditNoteEndpoints(useCases.creditNotes, brand),
    ...statementEndpoints(useCases.statements, brand),
    ...sessionEndpoints(useCases.sessions, cookieRules),
  ];
  const keyEndpoints = receiptEndpoints(useCases.receipts);
  const find = (token: string) => findSession(accounts, token);
  const openEndpoints = [
    ...signInEndpoints({
      links: useCases.signIn,
      findSession: find,
      cookieRules,
      consoleOrigins: config.consoleOrigins,
      brand,
    }),
    rootEndpoint(useCases.proofs),
    ...(cardPayments ? [cardPayments.webhook] : []),
  ];
  const documents = [
    ...(await loadPublicDocuments(__dirname, { baseUrl: config.publicUrl, name: brand.name })),
    serviceDocument(brand, config.publicUrl),
    ...(config.securityContact === undefined
      ? []
      : [securityDocument(config.securityContact, config.publicUrl, new Date())]),
  ];
  const app = createApp({
    endpoints,
    keyEndpoints,
    openEndpoints,
    documents,
    console: { files: composeConsole(log), brand },
    findSession: find,
    findApiKey: (secret) => identifyApiKey(pool, hasher, secret),
    consoleOrigins: config.consoleOrigins,
    trustedProxies: config.trustedProxies,
    memory: {
      bodies: new RequestBodies(config.memory.bodiesBytes),
      responses: new UnwrittenResponses(config.memory.responsesBytes),
    },
    readiness,
    recorder: new RequestRecorder({ log, tracer, requests: createRequestMeter(metrics) }),
    log,
  });

  return {
    app,
    readiness,
    routes: [...endpoints, ...keyEndpoints, ...openEndpoints, ...documentRoutes(documents)],
    beginDrain: () => {
      draining = true;
    },
    close: async () => {
      await pool.end();
    },
  };
}

/** Next to the bundle, where the build puts it. */
const CONSOLE_FOLDER = join(__dirname, 'console');

/** The files of the console. Everything else works without them. */
function composeConsole(log: Logger) {
  const files = readConsoleFiles(CONSOLE_FOLDER);
  if (!files) {
    log.warn(
      { event: 'console_missing' },
      'the console is not served: its files are missing next to the bundle',
    );
  }
  return files;
}

/** Each pattern once. */
function documentRoutes(documents: readonly PublicDocument[]): Route[] {
  const paths = new Set(documents.map(({ path, route = path }) => route));
  return [...paths].map((path) => ({ method: 'GET', path }));
}

/** Creates the client for card payments; `undefined` if they are not configured. */
async function composeCardPayments(
  { cardPayments: config, publicUrl }: AccountConfig,
  pool: Pool,
  log: Logger,
): Promise<(CardPayments & { webhook: OpenEndpoint }) | undefined> {
  if (!config) return undefined;
  const { createStripePayments } = await import('./stripe/stripe-payments');
  const { secretKey, webhookSecret, apiUrl, minNano, maxNano } = config;
  const stripe = createStripePayments({ secretKey, webhookSecret, apiUrl, publicUrl });
  return {
    bounds: { minNano, maxNano },
    openPaymentPage: stripe.openPaymentPage,
    openCardPage: stripe.openCardPage,
    webhook: stripeWebhookEndpoint(stripe.readDelivery, (eventId) =>
      receivePaymentEvent({ pool, log }, eventId),
    ),
  };
}
