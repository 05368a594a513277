import {
  loadConfig,
  toBrand,
  toCardPaymentConfig,
  toTelemetryConfig,
  type Brand,
  type CardPaymentConfig,
  type Environment,
  type KeyPepper,
  type TelemetryConfig,
  type WebhookKey,
} from '@farebox/config';
import type { LogLevel } from '@farebox/observability';

export interface AccountConfig {
  databaseUrl: string;
  /** How long a start waits for an unreachable database. */
  databaseStartTimeoutMs: number;
  /** How long a request waits for PostgreSQL before it gets 503. */
  databaseTimeoutMs: number;
  keyPeppers: KeyPepper[];
  host: string;
  port: number;
  logLevel: LogLevel;
  /** Public origin of the service. Its scheme decides whether the cookie is `Secure`. */
  publicUrl: string;
  brand: Brand;
  /** A URI. Not set: no security.txt. */
  securityContact: string | undefined;
  /** Allowed CORS origins. */
  consoleOrigins: readonly string[];
  trustedProxies: readonly string[];
  /** The gateways' limits per API key, which owners can see. */
  requestLimits: { requests: number; windowMs: number; concurrent: number };
  /** Memory limits of this process for all requests and all responses. */
  memory: { bodiesBytes: number; responsesBytes: number };
  /** Not set: no card payments. */
  cardPayments: CardPaymentConfig | undefined;
  /** Not set: no webhooks. */
  webhookKeys: WebhookKey[] | undefined;
  /** For development: webhooks may go to http on this machine. */
  webhookHttp: boolean;
  telemetry: TelemetryConfig;
}

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: AccountConfig; warnings: string[] } {
  const { values, warnings } = loadConfig('account', environment);
  return {
    config: {
      databaseUrl: values.DATABASE_URL,
      databaseStartTimeoutMs: values.FAREBOX_DATABASE_START_TIMEOUT,
      databaseTimeoutMs: values.FAREBOX_DATABASE_TIMEOUT,
      keyPeppers: values.FAREBOX_KEY_PEPPERS,
      host: values.FAREBOX_HOST,
      port: values.FAREBOX_ACCOUNT_PORT,
      logLevel: values.FAREBOX_LOG_LEVEL,
      publicUrl: values.FAREBOX_PUBLIC_URL,
      brand: toBrand(values),
      securityContact: values.FAREBOX_SECURITY_CONTACT,
      consoleOrigins: values.FAREBOX_CONSOLE_ORIGINS,
      trustedProxies: values.FAREBOX_TRUSTED_PROXIES,
      requestLimits: {
        requests: values.FAREBOX_RATE_LIMIT_REQUESTS,
        windowMs: values.FAREBOX_RATE_LIMIT_WINDOW,
        concurrent: values.FAREBOX_RATE_LIMIT_CONCURRENT,
      },
      memory: {
        bodiesBytes: values.FAREBOX_MEMORY_FOR_BODIES,
        responsesBytes: values.FAREBOX_MEMORY_FOR_RESPONSES,
      },
      cardPayments: toCardPaymentConfig(values),
      webhookKeys: values.FAREBOX_WEBHOOK_KEYS,
      webhookHttp: values.FAREBOX_WEBHOOK_HTTP,
      telemetry: toTelemetryConfig(values),
    },
    warnings,
  };
}
