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
} from '@farebox/config';
import type { LogLevel } from '@farebox/observability';

export interface AccountConfig {
  databaseUrl: string;
  /** How long a start waits for a database that cannot be reached. */
  databaseStartTimeoutMs: number;
  /** How long a request waits for PostgreSQL before it is told that the service is not available. */
  databaseTimeoutMs: number;
  keyPeppers: KeyPepper[];
  host: string;
  port: number;
  logLevel: LogLevel;
  /** Origin under which customers reach the service: whether it is https decides about the cookie. */
  publicUrl: string;
  brand: Brand;
  /** A URI. Not set: there is no security.txt. */
  securityContact: string | undefined;
  /** Allowed CORS origins. */
  consoleOrigins: readonly string[];
  trustedProxies: readonly string[];
  /** What the gateways hold each API key to: told to its owner. */
  requestLimits: { requests: number; windowMs: number; concurrent: number };
  /** Most that this process keeps of all requests and of all responses at once. */
  memory: { bodiesBytes: number; responsesBytes: number };
  /** Not set: no card is charged. */
  cardPayments: CardPaymentConfig | undefined;
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
      telemetry: toTelemetryConfig(values),
    },
    warnings,
  };
}
