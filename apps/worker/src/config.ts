import {
  loadConfig,
  toBoardConfig,
  toBrand,
  toLinkConfig,
  toRetentionMonths,
  toTelemetryConfig,
  type BoardConfig,
  type Brand,
  type Environment,
  type PurgedUsage,
  type MailConfig,
  type ReviewPolicy,
  type TelemetryConfig,
  type WebhookKey,
} from '@farebox/config';
import type { LogLevel } from '@farebox/observability';

export interface WorkerConfig {
  databaseUrl: string;
  /** How long a start waits for an unreachable database. */
  databaseStartTimeoutMs: number;
  redisUrl: string | undefined;
  logLevel: LogLevel;
  /** The resolver of reviews of charges that could not be recorded. */
  reviewPolicy: ReviewPolicy;
  /** Past months of request records to keep. Not set: all of them, forever. */
  retentionMonths: number | undefined;
  /** The handling of request records after that. */
  purgedUsage: PurgedUsage;
  /** Retention of refused and failed requests, in days. */
  unchargedDays: number;
  /** Retention of credential events, in days. */
  credentialEventDays: number;
  /** How long a statement or transaction of a gateway or account service may last. */
  longestTransactionMs: number;
  /** Public origin of the service, which links lead to. */
  publicUrl: string;
  /** The operator service's, for its links. */
  operatorUrl: string;
  brand: Brand;
  /** Not set: no mail is sent. */
  mail: MailConfig | undefined;
  /** For development: sign-in links are written to the log. */
  showsSignInLinks: boolean;
  telemetry: TelemetryConfig;
  /** Not set: no card payment is applied. */
  stripe: { secretKey: string; apiUrl: string | undefined } | undefined;
  /** Not set: no webhook is sent. */
  webhooks: { keys: WebhookKey[]; networks: readonly string[]; allowsHttp: boolean } | undefined;
  /** The private key that signs the roots of the ledger. Not set: they are not signed. */
  rootSigningKey: Buffer | undefined;
  /** Not set: no queue board. */
  board: BoardConfig | undefined;
}

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: WorkerConfig; warnings: string[] } {
  const { values, warnings } = loadConfig('worker', environment);
  const { FAREBOX_STRIPE_SECRET_KEY: secretKey, FAREBOX_STRIPE_API_URL: apiUrl } = values;
  const { FAREBOX_WEBHOOK_KEYS: keys, FAREBOX_WEBHOOK_NETWORKS: networks } = values;
  return {
    config: {
      databaseUrl: values.DATABASE_URL,
      databaseStartTimeoutMs: values.FAREBOX_DATABASE_START_TIMEOUT,
      redisUrl: values.REDIS_URL,
      logLevel: values.FAREBOX_LOG_LEVEL,
      reviewPolicy: values.FAREBOX_REVIEW_POLICY,
      retentionMonths: toRetentionMonths(values),
      purgedUsage: values.FAREBOX_PURGED_USAGE,
      unchargedDays: values.FAREBOX_UNCHARGED_RETENTION_DAYS,
      credentialEventDays: values.FAREBOX_CREDENTIAL_EVENT_RETENTION_DAYS,
      longestTransactionMs: values.FAREBOX_LONGEST_TRANSACTION,
      ...toLinkConfig(values),
      operatorUrl: values.FAREBOX_OPERATOR_URL,
      brand: toBrand(values),
      telemetry: toTelemetryConfig(values),
      stripe: secretKey === undefined ? undefined : { secretKey, apiUrl },
      webhooks: keys && { keys, networks, allowsHttp: values.FAREBOX_WEBHOOK_HTTP },
      rootSigningKey: values.FAREBOX_ROOT_SIGNING_KEY,
      board: toBoardConfig(values),
    },
    warnings,
  };
}
