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
  type ForgottenUsage,
  type MailConfig,
  type ReviewPolicy,
  type TelemetryConfig,
} from '@farebox/config';
import type { LogLevel } from '@farebox/observability';

export interface WorkerConfig {
  databaseUrl: string;
  /** How long a start waits for a database that cannot be reached. */
  databaseStartTimeoutMs: number;
  redisUrl: string | undefined;
  logLevel: LogLevel;
  /** Who resolves the reviews of charges that could not be recorded. */
  reviewPolicy: ReviewPolicy;
  /** Months of request records that are kept before the one under way. Not set: all of them, for ever. */
  retentionMonths: number | undefined;
  /** What becomes of request records after that. */
  forgottenUsage: ForgottenUsage;
  /** Days for which refused and failed requests are kept. */
  unchargedDays: number;
  /** Days for which it is kept who made, changed and ended credentials. */
  credentialEventDays: number;
  /** Origin under which customers reach the service: links lead there. */
  publicUrl: string;
  brand: Brand;
  /** Not set: no mail is sent. */
  mail: MailConfig | undefined;
  /** Development: links to sign in are written to the log. */
  showsSignInLinks: boolean;
  telemetry: TelemetryConfig;
  /** Not set: no card payment is applied. */
  stripe: { secretKey: string; apiUrl: string | undefined } | undefined;
  /** Not set: no board of the queues. */
  board: BoardConfig | undefined;
}

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: WorkerConfig; warnings: string[] } {
  const { values, warnings } = loadConfig('worker', environment);
  const { FAREBOX_STRIPE_SECRET_KEY: secretKey, FAREBOX_STRIPE_API_URL: apiUrl } = values;
  return {
    config: {
      databaseUrl: values.DATABASE_URL,
      databaseStartTimeoutMs: values.FAREBOX_DATABASE_START_TIMEOUT,
      redisUrl: values.REDIS_URL,
      logLevel: values.FAREBOX_LOG_LEVEL,
      reviewPolicy: values.FAREBOX_REVIEW_POLICY,
      retentionMonths: toRetentionMonths(values),
      forgottenUsage: values.FAREBOX_FORGOTTEN_USAGE,
      unchargedDays: values.FAREBOX_UNCHARGED_RETENTION_DAYS,
      credentialEventDays: values.FAREBOX_CREDENTIAL_EVENT_RETENTION_DAYS,
      ...toLinkConfig(values),
      brand: toBrand(values),
      telemetry: toTelemetryConfig(values),
      stripe: secretKey === undefined ? undefined : { secretKey, apiUrl },
      board: toBoardConfig(values),
    },
    warnings,
  };
}
