import { z } from 'zod';
import { brand } from './brand';
import {
  type App,
  DEFAULT_PUBLIC_URL,
  durationMs,
  flag,
  httpUrl,
  httpUrls,
  issuerUrl,
  listenHost,
  loginUrl,
  logLevel,
  mebibytes,
  mailFrom,
  mailUrl,
  oneOf,
  otherUrl,
  port,
  postgresUrl,
  publicUrl,
  readBy,
  redisUrl,
  signingKey,
  stripeSecret,
  topUpAmount,
  trustedProxies,
  type Variable,
  webOrigins,
  wholeNumber,
} from './fields';
import { answerKeys, keyPeppers, managementKey, webhookKeys } from './versioned-secrets';

// Every environment variable in one row: its meaning, and the apps that read it with their schema. The
// configuration of each app, docs/operate/operating.md and the known names all derive from this table.

const SERVICES = ['gateway', 'account', 'worker', 'operator'] as const;

const places = {
  DATABASE_URL: {
    meaning:
      'PostgreSQL, with the login of this app: see [database rights](../design/architecture.md#who-may-do-what-in-the-database)',
    ...readBy([...SERVICES, 'admin', 'migration'], postgresUrl()),
  },
  REDIS_URL: {
    meaning:
      'Redis, for request windows and job queues: one server, or [sentinels](operating.md#redis-that-fails-over); with TLS as `rediss`. Without it, each process keeps its own windows and PostgreSQL has the queues',
    ...readBy(['gateway', 'worker', 'operator', 'admin'], redisUrl().optional()),
  },
  FAREBOX_HOST: {
    meaning: 'address to listen on; `0.0.0.0` in the images',
    ...readBy(['gateway', 'account', 'operator', 'edge'], listenHost().default('127.0.0.1')),
  },
  FAREBOX_GATEWAY_PORT: { meaning: 'port of the gateway', gateway: port().default(8081) },
  FAREBOX_ACCOUNT_PORT: { meaning: 'port of the account service', account: port().default(8082) },
  FAREBOX_OPERATOR_PORT: { meaning: 'port of the operator service', operator: port().default(8083) },
  FAREBOX_PORT: { meaning: 'port of the edge', edge: port().default(8080) },
  FAREBOX_PUBLIC_URL: {
    meaning: 'public URL of the service: the base of links; decides whether the cookie is `Secure`',
    ...readBy(['account', 'operator', 'admin'], publicUrl().default(DEFAULT_PUBLIC_URL)),
    // Required if mail is configured.
    worker: publicUrl().optional(),
  },
  FAREBOX_OPERATOR_URL: {
    meaning:
      'URL of the [operator service](operators.md), which no customer needs to reach: the base of its links, also of those that the worker mails, and where the admin command finds it',
    ...readBy(['operator', 'worker', 'admin'], publicUrl().default('http://127.0.0.1:8083')),
  },
  FAREBOX_CONSOLE_ORIGINS: {
    meaning: 'further origins whose pages may call the API: [a console elsewhere](#a-console-elsewhere)',
    ...readBy(['gateway', 'account'], webOrigins().default([])),
  },
  FAREBOX_TRUSTED_PROXIES: {
    meaning:
      'trusted proxies, whose `X-Forwarded-For` names the client when sign-in attempts are counted: the edge, and any proxy in front of it',
    ...readBy(['account', 'operator'], trustedProxies().default([])),
  },
  FAREBOX_EDGE_GATEWAY_URLS: {
    meaning: 'the gateways, separated by commas; requests are distributed in turn',
    edge: httpUrls(),
  },
  FAREBOX_EDGE_ACCOUNT_URL: { meaning: 'the account service', edge: httpUrl() },
} as const satisfies Record<string, Variable>;

const secrets = {
  FAREBOX_KEY_PEPPERS: {
    meaning:
      'part of the hash of every API key, and of the pseudonyms of accounts that upstreams receive; the highest version is for new keys. If lost, no key works',
    ...readBy(['gateway', 'account', 'operator', 'admin'], keyPeppers()),
  },
  FAREBOX_ANSWER_KEYS: {
    meaning:
      'encrypt the responses that are kept 24 hours for Idempotency-Keys; the highest version encrypts. If lost, a repeated request fails',
    gateway: answerKeys(),
  },
  FAREBOX_WEBHOOK_KEYS: {
    meaning:
      'derive the secrets of [webhooks](webhooks.md), which are stored nowhere; the highest version is for new ones. If lost, no webhook is sent. Not set: no webhooks',
    ...readBy(['account', 'worker', 'operator', 'admin'], webhookKeys().optional()),
  },
  FAREBOX_BOARD_TOKEN: {
    meaning: 'password of the queue board. Not set: no board',
    worker: z
      .string()
      .regex(/^[\x21-\x7e]{32,500}$/, 'must have at least 32 printable ASCII characters')
      .optional(),
  },
  FAREBOX_ROOT_SIGNING_KEY: {
    meaning:
      'private key (Ed25519, 64 random hex digits) that signs the [daily roots of the ledger](billing.md#proofs). Not set: they are published without a signature',
    worker: signingKey().optional(),
  },
  FAREBOX_STRIPE_SECRET_KEY: {
    meaning:
      'key for card payments: the account service opens checkouts with it, the worker asks Stripe what was paid. Use a restricted key for each ([billing](billing.md)). Not set: no card payments',
    ...readBy(['account', 'worker'], stripeSecret(['sk_', 'rk_']).optional()),
  },
  FAREBOX_STRIPE_WEBHOOK_SECRET: {
    meaning: 'verifies that an event comes from Stripe',
    account: stripeSecret(['whsec_']).optional(),
  },
  FAREBOX_MANAGEMENT_KEY: {
    meaning:
      'key of the operator service, `mk-…`: the admin command runs over its API, and needs no database. Not set: it uses `DATABASE_URL`',
    admin: managementKey().optional(),
  },
  FAREBOX_GATEWAY_DATABASE_URL: {
    meaning: 'the `DATABASE_URL` of the gateways: its login is created as a member of `farebox_app`',
    migration: loginUrl().optional(),
  },
  FAREBOX_ACCOUNT_DATABASE_URL: {
    meaning: 'the same for the account service, `farebox_account`',
    migration: loginUrl().optional(),
  },
  FAREBOX_WORKER_DATABASE_URL: {
    meaning: 'the same for the worker, `farebox_worker`',
    migration: loginUrl().optional(),
  },
  FAREBOX_OPERATOR_DATABASE_URL: {
    meaning: 'the same for the operator service, `farebox_operator`',
    migration: loginUrl().optional(),
  },
} as const satisfies Record<string, Variable>;

/** Gateways enforce these limits and the account service shows them, so all need the same values. */
const LIMITING = ['gateway', 'account'] as const;

const limits = {
  FAREBOX_RATE_LIMIT_REQUESTS: {
    meaning:
      'requests per API key in a window. The account service shows customers this limit and the next two: set the same values there and on all gateways',
    ...readBy(LIMITING, wholeNumber({ min: 1, max: 1_000_000 }).default(60)),
  },
  FAREBOX_RATE_LIMIT_WINDOW: {
    meaning: 'length of the window',
    ...readBy(LIMITING, durationMs({ min: 1_000, max: 3_600_000 }).default(60_000)),
  },
  FAREBOX_RATE_LIMIT_CONCURRENT: {
    meaning: 'concurrent requests per API key',
    ...readBy(LIMITING, wholeNumber({ min: 1, max: 100_000 }).default(16)),
  },
  FAREBOX_ONLY_GATEWAY: {
    meaning:
      'set it if this is the only gateway: it then counts all requests even without Redis, and shows customers what is left (`X-RateLimit-*`). `npm start` sets it',
    gateway: flag().default(false),
  },
  FAREBOX_ACCOUNT_RATE_LIMIT_REQUESTS: {
    meaning: 'requests per account in a window, across its keys. Not set: four times those of a key',
    gateway: wholeNumber({ min: 1, max: 10_000_000 }).optional(),
  },
  FAREBOX_ACCOUNT_RATE_LIMIT_CONCURRENT: {
    meaning: 'concurrent requests per account, across its keys. Not set: four times those of a key',
    gateway: wholeNumber({ min: 1, max: 1_000_000 }).optional(),
  },
  FAREBOX_ACCOUNT_RATE_LIMIT_FREE_REQUESTS: {
    meaning:
      'free requests per account in a window: quotes, lists of models. Token counts have their own limits, as many in a window as a key has and four times as many at once. Not set: as many as those of a key',
    gateway: wholeNumber({ min: 1, max: 10_000_000 }).optional(),
  },
  FAREBOX_ACCOUNT_RATE_LIMIT_FREE_CONCURRENT: {
    meaning: 'concurrent free requests per account',
    gateway: wholeNumber({ min: 1, max: 1_000_000 }).optional(),
  },
  FAREBOX_RATE_LIMIT_TIMEOUT: {
    meaning: 'how long a request waits for Redis before its gateway counts by itself',
    gateway: durationMs({ min: 10, max: 10_000 }).default(50),
  },
  FAREBOX_KEPT_BYTES_PER_ANSWER: {
    meaning:
      'largest response, in bytes, that is kept for an Idempotency-Key or for later requests that name its items; a larger one is delivered and charged, but not kept',
    gateway: wholeNumber({ min: 0, max: 16_777_216 }).default(1_048_576),
  },
  FAREBOX_KEPT_BYTES_PER_ACCOUNT: {
    meaning:
      'bytes of responses kept per account in 24 hours; further ones are delivered and charged, but not kept',
    gateway: wholeNumber({ min: 0, max: 1_000_000_000_000 }).default(268_435_456),
  },
  FAREBOX_MEMORY_FOR_BODIES: {
    meaning:
      'MiB of request bodies in a process, by their length; an account gets at most half of it ([memory](#memory))',
    gateway: mebibytes(128),
    account: mebibytes(32),
  },
  FAREBOX_MEMORY_FOR_RESPONSES: {
    meaning: 'MiB of unread responses in a process; an account gets at most half of it',
    gateway: mebibytes(256),
    account: mebibytes(64),
  },
  FAREBOX_TOP_UP_MIN: { meaning: 'smallest card payment', account: topUpAmount('5.00') },
  FAREBOX_TOP_UP_MAX: { meaning: 'largest card payment', account: topUpAmount('1000.00') },
} as const satisfies Record<string, Variable>;

/** Instead of a number of months. */
export const FOR_EVER = 0;
/** At least the minimum that the ledger enforces for deletion; a test of the worker compares the two. */
export const FEWEST_RETENTION_MONTHS = 2;
const MOST_RETENTION_MONTHS = 1_200;

function retentionMonths() {
  return wholeNumber({ min: FOR_EVER, max: MOST_RETENTION_MONTHS }).refine(
    (months) => months === FOR_EVER || months >= FEWEST_RETENTION_MONTHS,
    `must be 0 (for ever) or a whole number from ${String(FEWEST_RETENTION_MONTHS)} to ${String(MOST_RETENTION_MONTHS)}`,
  );
}

const times = {
  FAREBOX_DATABASE_TIMEOUT: {
    meaning: 'how long a request waits for PostgreSQL before it gets 503; a charge waits at least 5 seconds',
    ...readBy(LIMITING, durationMs({ min: 100, max: 60_000 }).default(1_500)),
    // An operator waits for a report; nobody else waits for them.
    operator: durationMs({ min: 100, max: 600_000 }).default(60_000),
  },
  FAREBOX_DATABASE_START_TIMEOUT: {
    meaning: 'how long a starting service waits for an unreachable PostgreSQL before it exits with code 1',
    ...readBy(SERVICES, durationMs({ min: 0, max: 3_600_000 }).default(60_000)),
  },
  FAREBOX_LONGEST_TRANSACTION: {
    meaning:
      'how long a statement or transaction of a gateway or account service may last before the worker ends its session ([database rights](../design/architecture.md#who-may-do-what-in-the-database))',
    worker: durationMs({ min: 1_000, max: 3_600_000 }).default(300_000),
  },
  FAREBOX_LEASE: {
    meaning:
      'how long the holds of a dead gateway are safe from the sweep, and its requests count as running; the same for all gateways. After a third of it at most, running requests of a suspended account end',
    gateway: durationMs({ min: 1_000, max: 600_000 }).default(30_000),
  },
  FAREBOX_DRAIN_TIMEOUT: {
    meaning: 'how long a stopping gateway lets requests run; the process ends at most 27 seconds later',
    gateway: durationMs({ min: 0, max: 3_600_000 }).default(30_000),
  },
  FAREBOX_EDGE_DRAIN_TIMEOUT: {
    meaning: 'the same for the edge: at least as long as that of the gateways',
    edge: durationMs({ min: 0, max: 3_600_000 }).default(5_000),
  },
  FAREBOX_CLIENT_STALL_TIMEOUT: {
    meaning: 'a client that reads nothing for this long is disconnected',
    gateway: durationMs({ min: 100, max: 600_000 }).default(30_000),
  },
  FAREBOX_CLIENT_LEAST_RATE: {
    meaning:
      'minimum average read rate of a client, in bytes a second: a client slower than this, after the time above, is disconnected',
    gateway: wholeNumber({ min: 1, max: 1_000_000_000 }).default(65_536),
  },
  FAREBOX_STREAM_HEARTBEAT: {
    meaning: 'keep-alive interval of an idle stream',
    gateway: durationMs({ min: 100, max: 600_000 }).default(15_000),
  },
  FAREBOX_USAGE_RETENTION_MONTHS: {
    meaning:
      'past months of request records to keep, in whole months, 0 for ever ([billing](billing.md#how-long-requests-are-kept))',
    // A year, plus the same month of the previous year for comparison.
    worker: retentionMonths().default(13),
  },
  FAREBOX_UNCHARGED_RETENTION_DAYS: {
    meaning: 'retention of refused and failed requests, which their accounts can see, in days',
    worker: wholeNumber({ min: 1, max: 3_650 }).default(30),
  },
  FAREBOX_CREDENTIAL_EVENT_RETENTION_DAYS: {
    meaning: 'retention of the log of keys, devices, sessions and sign-ins, in days',
    worker: wholeNumber({ min: 30, max: 3_650 }).default(365),
  },
} as const satisfies Record<string, Variable>;

/**
 * The handling of request records past their retention. `drop`: deleted, as whole partitions if possible.
 * `detach`: their partitions become tables of the schema farebox_archive, for the operator to store
 * elsewhere.
 */
const PURGED_USAGE = ['drop', 'detach'] as const;
export type PurgedUsage = (typeof PURGED_USAGE)[number];

/**
 * The resolver of reviews of charges that could not be recorded. `manual`: an operator. `charge`: the worker
 * charges what reached the customer and waives what was withheld. `waive`: the worker waives everything.
 */
export const REVIEW_POLICIES = ['manual', 'charge', 'waive'] as const;
export type ReviewPolicy = (typeof REVIEW_POLICIES)[number];

const behaviour = {
  FAREBOX_PURGED_USAGE: {
    meaning:
      'what happens to request records after these months: `drop`, or `detach` for an archive ([partitions](#the-tables-that-grow))',
    worker: oneOf(PURGED_USAGE).default('drop'),
  },
  FAREBOX_REVIEW_POLICY: {
    meaning: 'who resolves charges that could not be recorded ([failed charges](reviews.md))',
    worker: oneOf(REVIEW_POLICIES).default('manual'),
  },
  FAREBOX_MAIL_URL: {
    meaning: 'the mail server ([mails](mails.md)). Not set: no mail',
    worker: mailUrl().optional(),
  },
  FAREBOX_MAIL_FROM: {
    meaning: 'sender of mails; required with a mail server',
    worker: mailFrom().optional(),
  },
  FAREBOX_WEBHOOK_NETWORKS: {
    meaning:
      'networks of your own that webhooks may reach, like `10.1.0.0/16`. Without them, only public addresses',
    worker: trustedProxies().default([]),
  },
  FAREBOX_WEBHOOK_HTTP: {
    meaning: 'for development: webhooks may go to this machine, and there over http',
    ...readBy(['account', 'worker', 'operator', 'admin'], flag().default(false)),
  },
  FAREBOX_SHOW_SIGN_IN_LINKS: {
    meaning: 'for development: sign-in links are written to the log',
    worker: flag().default(false),
  },
  FAREBOX_CATALOG: {
    meaning: 'default catalogue file of `catalog apply`',
    admin: z.string().default('config/catalog.yaml'),
  },
  FAREBOX_OIDC_ISSUER: {
    meaning:
      'OpenID provider at which operators sign in ([operators](operators.md#openid-connect)). Not set: links alone',
    operator: issuerUrl().optional(),
  },
  FAREBOX_OIDC_CLIENT_ID: {
    meaning: 'id of this service at the provider',
    operator: z.string().min(1).optional(),
  },
  FAREBOX_OIDC_CLIENT_SECRET: {
    meaning: 'its secret there',
    operator: z.string().min(1).optional(),
  },
  FAREBOX_OIDC_ROLE_CLAIM: {
    meaning:
      'claim with the role of an operator, such as `roles` or `groups`. Not set: `operator add` decides',
    operator: z.string().min(1).optional(),
  },
  FAREBOX_STRIPE_API_URL: {
    meaning: 'replaces Stripe’s own URL in tests',
    ...readBy(['account', 'worker'], otherUrl('http://127.0.0.1:12111').optional()),
  },
} as const satisfies Record<string, Variable>;

const collectorUrl = otherUrl('http://127.0.0.1:4318').optional();

/** The OpenTelemetry variables have the meaning of its specification. */
const sight = {
  FAREBOX_LOG_LEVEL: {
    meaning: 'lowest level that is logged: JSON lines on standard output',
    ...readBy(SERVICES, logLevel().default('info')),
  },
  FAREBOX_METRICS_PORT: {
    meaning: 'port of `/metrics` ([observability](observability.md)); 9464 in the images. Not set: none',
    ...readBy(SERVICES, port().optional()),
  },
  FAREBOX_METRICS_HOST: {
    meaning: 'address of `/metrics`',
    ...readBy(SERVICES, listenHost().default('127.0.0.1')),
  },
  FAREBOX_BOARD_PORT: { meaning: 'port of the queue board', worker: port().optional() },
  FAREBOX_BOARD_HOST: {
    meaning: 'address of the queue board',
    worker: listenHost().default('127.0.0.1'),
  },
  FAREBOX_CONTINUE_TRACES: {
    meaning: 'a client’s `traceparent` sets the trace of its request',
    ...readBy(SERVICES, flag().default(false)),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning: 'trace collector, the base of its paths. Not set: tracing is off',
    ...readBy(SERVICES, collectorUrl),
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    meaning: 'the same, as a complete URL',
    ...readBy(SERVICES, collectorUrl),
  },
  OTEL_TRACES_SAMPLER: {
    meaning: 'which requests are traced',
    ...readBy(
      SERVICES,
      oneOf([
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ]).default('parentbased_always_on'),
    ),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    meaning: 'the traced share, for a sampler by ratio',
    ...readBy(
      SERVICES,
      z
        .string()
        .regex(/^(?:0?\.\d{1,9}|[01](?:\.0{1,9})?)$/, 'must be a number from 0 to 1, like 0.1')
        .transform(Number)
        .default(1),
    ),
  },
} as const satisfies Record<string, Variable>;

/** The variable groups of the manual, in order. */
export const VARIABLE_GROUPS = {
  Addresses: places,
  Secrets: secrets,
  Limits: limits,
  Times: times,
  Brand: brand,
  Behaviour: behaviour,
  Observability: sight,
};

const VARIABLES = { ...places, ...secrets, ...limits, ...times, ...brand, ...behaviour, ...sight };

type SchemaOf<Row, Reader extends App> =
  Row extends Readonly<Record<Reader, infer Schema extends z.ZodType>> ? Schema : never;

/** The names of the variables that an app reads. */
export type NameOf<Reader extends App> = {
  [Name in keyof typeof VARIABLES]: SchemaOf<(typeof VARIABLES)[Name], Reader> extends never ? never : Name;
}[keyof typeof VARIABLES];

/** The configuration of an app, keyed by the names of the variables. */
export type ValuesOf<Reader extends App> = {
  [Name in NameOf<Reader>]: z.output<SchemaOf<(typeof VARIABLES)[Name], Reader>>;
};

/** The schemas of an app's variables. */
export function schemasOf(reader: App): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries<Variable>(VARIABLES).flatMap(([name, { [reader]: schema }]) =>
      schema === undefined ? [] : [[name, schema]],
    ),
  );
}

/** A process may be given variables of another one, so none of these causes a warning. */
export const KNOWN_VARIABLES: readonly string[] = Object.keys(VARIABLES);
