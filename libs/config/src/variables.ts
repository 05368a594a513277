import { z } from 'zod';
import { brand } from './brand';
import {
  type App,
  DEFAULT_PUBLIC_URL,
  durationMs,
  flag,
  httpUrl,
  httpUrls,
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
  stripeSecret,
  topUpAmount,
  trustedProxies,
  type Variable,
  webOrigins,
  wholeNumber,
} from './fields';
import { answerKeys, keyPeppers } from './versioned-secrets';

// Every variable of the environment, one row each: what it means, and by which of the apps it is read with which schema.
// What an app can read, docs/operate/operating.md and the names that are known all follow from here.

const SERVICES = ['gateway', 'account', 'worker'] as const;

const places = {
  DATABASE_URL: {
    meaning:
      'PostgreSQL, with the login of this app: see [who may do what](../design/architecture.md#who-may-do-what-in-the-database)',
    ...readBy([...SERVICES, 'admin', 'migration'], postgresUrl()),
  },
  REDIS_URL: {
    meaning:
      'Redis, for request windows and job queues. Without it both go on, in each process and in PostgreSQL',
    ...readBy(['gateway', 'worker', 'admin'], redisUrl().optional()),
  },
  FAREBOX_HOST: {
    meaning: 'address to listen on; `0.0.0.0` in the images',
    ...readBy(['gateway', 'account', 'edge'], listenHost().default('127.0.0.1')),
  },
  FAREBOX_GATEWAY_PORT: { meaning: 'port of the gateway', gateway: port().default(8081) },
  FAREBOX_ACCOUNT_PORT: { meaning: 'port of the account service', account: port().default(8082) },
  FAREBOX_PORT: { meaning: 'port of the edge', edge: port().default(8080) },
  FAREBOX_PUBLIC_URL: {
    meaning: 'where customers reach the service: the base of links, and whether the cookie is `Secure`',
    ...readBy(['account', 'admin'], publicUrl().default(DEFAULT_PUBLIC_URL)),
    // Required if mail is configured.
    worker: publicUrl().optional(),
  },
  FAREBOX_CONSOLE_ORIGINS: {
    meaning:
      'origins besides this one whose pages may call the API: [a console elsewhere](#a-console-elsewhere)',
    ...readBy(['gateway', 'account'], webOrigins().default([])),
  },
  FAREBOX_TRUSTED_PROXIES: {
    meaning:
      'proxies whose `X-Forwarded-For` says whose attempts to sign in are counted: the edge, and what stands in front of it',
    account: trustedProxies().default([]),
  },
  FAREBOX_EDGE_GATEWAY_URLS: {
    meaning: 'the gateways, with commas: requests go to them in turn',
    edge: httpUrls(),
  },
  FAREBOX_EDGE_ACCOUNT_URL: { meaning: 'the account service', edge: httpUrl() },
  FAREBOX_EDGE_TRUSTED_PROXIES: {
    meaning: 'proxies in front of the edge, whose `X-Forwarded-For` it passes on',
    edge: trustedProxies().default([]),
  },
} as const satisfies Record<string, Variable>;

const secrets = {
  FAREBOX_KEY_PEPPERS: {
    meaning:
      'go into the hash of every API key, and into the marks of accounts that upstreams are sent; the highest version is for new keys. Lost: no key works',
    ...readBy(['gateway', 'account', 'admin'], keyPeppers()),
  },
  FAREBOX_ANSWER_KEYS: {
    meaning:
      'encrypt the answers that are kept 24 hours for Idempotency-Keys; the highest version encrypts. Lost: a repeated request fails',
    gateway: answerKeys(),
  },
  FAREBOX_BOARD_TOKEN: {
    meaning: 'opens the board of the queues. Not set: no board',
    worker: z
      .string()
      .regex(/^[\x21-\x7e]{32,500}$/, 'must have at least 32 printable ASCII characters')
      .optional(),
  },
  FAREBOX_STRIPE_SECRET_KEY: {
    meaning:
      'takes card payments: the account service opens checkouts with it, the worker asks Stripe what was paid. A restricted key for each ([billing](billing.md)). Not set: none are taken',
    ...readBy(['account', 'worker'], stripeSecret(['sk_', 'rk_']).optional()),
  },
  FAREBOX_STRIPE_WEBHOOK_SECRET: {
    meaning: 'proves that an event is of Stripe’s',
    account: stripeSecret(['whsec_']).optional(),
  },
  FAREBOX_GATEWAY_DATABASE_URL: {
    meaning: 'the `DATABASE_URL` of the gateways: its login is made, as a member of `farebox_app`',
    migration: loginUrl().optional(),
  },
  FAREBOX_ACCOUNT_DATABASE_URL: {
    meaning: 'the same of the account service, `farebox_account`',
    migration: loginUrl().optional(),
  },
  FAREBOX_WORKER_DATABASE_URL: {
    meaning: 'the same of the worker, `farebox_worker`',
    migration: loginUrl().optional(),
  },
} as const satisfies Record<string, Variable>;

/** The gateways hold to these limits, and the account service says them. The same for all of them. */
const LIMITING = ['gateway', 'account'] as const;

const limits = {
  FAREBOX_RATE_LIMIT_REQUESTS: {
    meaning:
      'requests of an API key in a window. The account service tells customers this limit and the next two: the same for it and all gateways',
    ...readBy(LIMITING, wholeNumber({ min: 1, max: 1_000_000 }).default(60)),
  },
  FAREBOX_RATE_LIMIT_WINDOW: {
    meaning: 'length of the window',
    ...readBy(LIMITING, durationMs({ min: 1_000, max: 3_600_000 }).default(60_000)),
  },
  FAREBOX_RATE_LIMIT_CONCURRENT: {
    meaning: 'requests of an API key at once',
    ...readBy(LIMITING, wholeNumber({ min: 1, max: 100_000 }).default(16)),
  },
  FAREBOX_ONLY_GATEWAY: {
    meaning:
      'there is no other gateway, so that also without Redis this one has counted all requests: it tells customers what is left (`X-RateLimit-*`). `npm start` sets it',
    gateway: flag().default(false),
  },
  FAREBOX_ACCOUNT_RATE_LIMIT_REQUESTS: {
    meaning: 'requests of an account in a window, with all of its keys. Not set: four times those of a key',
    gateway: wholeNumber({ min: 1, max: 10_000_000 }).optional(),
  },
  FAREBOX_ACCOUNT_RATE_LIMIT_CONCURRENT: {
    meaning: 'requests of an account at once, with all of its keys. Not set: four times those of a key',
    gateway: wholeNumber({ min: 1, max: 1_000_000 }).optional(),
  },
  FAREBOX_ACCOUNT_RATE_LIMIT_FREE_REQUESTS: {
    meaning:
      'those among them that cost nothing: quotes, lists of models. Counts of tokens have limits of their own, as many in a window as a key has and four times as many at once. Not set: as many as those of a key',
    gateway: wholeNumber({ min: 1, max: 10_000_000 }).optional(),
  },
  FAREBOX_ACCOUNT_RATE_LIMIT_FREE_CONCURRENT: {
    meaning: 'the same at once',
    gateway: wholeNumber({ min: 1, max: 1_000_000 }).optional(),
  },
  FAREBOX_RATE_LIMIT_TIMEOUT: {
    meaning: 'how long a request waits for Redis before its gateway counts for itself',
    gateway: durationMs({ min: 10, max: 10_000 }).default(50),
  },
  FAREBOX_KEPT_BYTES_PER_ANSWER: {
    meaning:
      'the longest response that is kept for an Idempotency-Key, or for later requests to name its items, in bytes; a longer one is given and charged, and not kept',
    gateway: wholeNumber({ min: 0, max: 16_777_216 }).default(1_048_576),
  },
  FAREBOX_KEPT_BYTES_PER_ACCOUNT: {
    meaning:
      'how much is kept of the answers of an account in 24 hours, in bytes; further ones are given and charged, and not kept',
    gateway: wholeNumber({ min: 0, max: 1_000_000_000_000 }).default(268_435_456),
  },
  FAREBOX_MEMORY_FOR_BODIES: {
    meaning:
      'MiB that a process keeps of all request bodies at once, by their length; an account has at most half of it ([memory](#memory))',
    gateway: mebibytes(128),
    account: mebibytes(32),
  },
  FAREBOX_MEMORY_FOR_RESPONSES: {
    meaning:
      'MiB that a process keeps of all responses that their clients have not taken yet; an account has at most half of it',
    gateway: mebibytes(256),
    account: mebibytes(64),
  },
  FAREBOX_TOP_UP_MIN: { meaning: 'least that is paid by card at once', account: topUpAmount('5.00') },
  FAREBOX_TOP_UP_MAX: { meaning: 'most that is paid by card at once', account: topUpAmount('1000.00') },
} as const satisfies Record<string, Variable>;

/** In place of a number of months. */
export const FOR_EVER = 0;
/** No fewer than the ledger lets be deleted: a test of the worker holds the two together. */
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
    meaning: 'how long a request waits for PostgreSQL before it gets 503; a charge waits 5 seconds at least',
    ...readBy(LIMITING, durationMs({ min: 100, max: 60_000 }).default(1_500)),
  },
  FAREBOX_DATABASE_START_TIMEOUT: {
    meaning:
      'how long a service that starts waits for a PostgreSQL that cannot be reached, before it ends with exit code 1',
    ...readBy(SERVICES, durationMs({ min: 0, max: 3_600_000 }).default(60_000)),
  },
  FAREBOX_LEASE: {
    meaning:
      'how long the holds of a gateway that has died are safe from the sweep, and its requests count as running; the same for all gateways',
    gateway: durationMs({ min: 1_000, max: 600_000 }).default(30_000),
  },
  FAREBOX_DRAIN_TIMEOUT: {
    meaning:
      'how long a gateway that is stopped lets requests run; the process ends 27 seconds later at most',
    gateway: durationMs({ min: 0, max: 3_600_000 }).default(30_000),
  },
  FAREBOX_EDGE_DRAIN_TIMEOUT: {
    meaning: 'the same of the edge: not shorter than that of the gateways',
    edge: durationMs({ min: 0, max: 3_600_000 }).default(5_000),
  },
  FAREBOX_CLIENT_STALL_TIMEOUT: {
    meaning: 'a client who takes nothing for so long is cut',
    gateway: durationMs({ min: 100, max: 600_000 }).default(30_000),
  },
  FAREBOX_CLIENT_LEAST_RATE: {
    meaning:
      'bytes a second that a client takes of a response on average at least: past the time that it has by this and by the time above, it is cut',
    gateway: wholeNumber({ min: 1, max: 1_000_000_000 }).default(65_536),
  },
  FAREBOX_STREAM_HEARTBEAT: {
    meaning: 'keep-alive interval of an idle stream',
    gateway: durationMs({ min: 100, max: 600_000 }).default(15_000),
  },
  FAREBOX_USAGE_RETENTION_MONTHS: {
    meaning:
      'whole months of request records that are kept before the one under way, 0 for ever ([billing](billing.md#how-long-requests-are-kept))',
    // A year, and the same month of the year before to compare with.
    worker: retentionMonths().default(13),
  },
  FAREBOX_UNCHARGED_RETENTION_DAYS: {
    meaning: 'days for which refused and failed requests are kept, for their accounts to see',
    worker: wholeNumber({ min: 1, max: 3_650 }).default(30),
  },
  FAREBOX_CREDENTIAL_EVENT_RETENTION_DAYS: {
    meaning: 'retention of the log of keys, devices, sessions and sign-ins, in days',
    worker: wholeNumber({ min: 30, max: 3_650 }).default(365),
  },
} as const satisfies Record<string, Variable>;

/**
 * What becomes of request records that have had their time. `drop`: they are deleted, by whole partitions where that is
 * possible. `detach`: their partitions become tables of the schema farebox_archive, for the operator to keep elsewhere.
 */
const FORGOTTEN_USAGE = ['drop', 'detach'] as const;
export type ForgottenUsage = (typeof FORGOTTEN_USAGE)[number];

/**
 * Who resolves the review of a charge that could not be recorded. `manual`: an operator. `charge`: the worker; what
 * reached the customer is charged, and what was withheld from them is waived. `waive`: the worker; nothing is charged.
 */
export const REVIEW_POLICIES = ['manual', 'charge', 'waive'] as const;
export type ReviewPolicy = (typeof REVIEW_POLICIES)[number];

const behaviour = {
  FAREBOX_FORGOTTEN_USAGE: {
    meaning:
      'what becomes of request records after these months: `drop`, or `detach` for an archive ([partitions](#the-tables-that-grow))',
    worker: oneOf(FORGOTTEN_USAGE).default('drop'),
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
  FAREBOX_SHOW_SIGN_IN_LINKS: {
    meaning: 'development: links to sign in are written to the log',
    worker: flag().default(false),
  },
  FAREBOX_CATALOG: {
    meaning: 'the catalogue file of `catalog apply`, where none is named',
    admin: z.string().default('config/catalog.yaml'),
  },
  FAREBOX_STRIPE_API_URL: {
    meaning: 'in place of Stripe’s own: for tests',
    ...readBy(['account', 'worker'], otherUrl('http://127.0.0.1:12111').optional()),
  },
} as const satisfies Record<string, Variable>;

const collectorUrl = otherUrl('http://127.0.0.1:4318').optional();

/** Those of OpenTelemetry mean what its specification says. */
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
  FAREBOX_BOARD_PORT: { meaning: 'port of the board of the queues', worker: port().optional() },
  FAREBOX_BOARD_HOST: {
    meaning: 'address of the board of the queues',
    worker: listenHost().default('127.0.0.1'),
  },
  FAREBOX_CONTINUE_TRACES: {
    meaning: 'a client’s `traceparent` names the trace of its request',
    ...readBy(SERVICES, flag().default(false)),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning: 'collector of traces, the base of its paths. Not set: nothing is traced',
    ...readBy(SERVICES, collectorUrl),
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    meaning: 'the same, as a whole URL',
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
    meaning: 'the part of them, for a sampler by ratio',
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

/** The chapters of the manual. */
export const VARIABLE_GROUPS = {
  'Where things are': places,
  Secrets: secrets,
  Limits: limits,
  Times: times,
  'Whose service it is': brand,
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

/** What an app reads of its environment, by the names of the variables. */
export type ValuesOf<Reader extends App> = {
  [Name in NameOf<Reader>]: z.output<SchemaOf<(typeof VARIABLES)[Name], Reader>>;
};

/** The schemas of the variables that an app reads. */
export function schemasOf(reader: App): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries<Variable>(VARIABLES).flatMap(([name, { [reader]: schema }]) =>
      schema === undefined ? [] : [[name, schema]],
    ),
  );
}

/** One process may be given what another one needs: nobody is warned of these. */
export const KNOWN_VARIABLES: readonly string[] = Object.keys(VARIABLES);
