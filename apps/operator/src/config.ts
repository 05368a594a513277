import {
  loadConfig,
  toBrand,
  toOpenIdConfig,
  toTelemetryConfig,
  type Brand,
  type Environment,
  type OpenIdConfig,
  type TelemetryConfig,
} from '@farebox/config';
import type { LogLevel } from '@farebox/observability';

export interface OperatorConfig {
  databaseUrl: string;
  /** How long a start waits for an unreachable database. */
  databaseStartTimeoutMs: number;
  /** How long one statement of a verb may take. */
  databaseTimeoutMs: number;
  host: string;
  port: number;
  logLevel: LogLevel;
  /** The origin of this service. Its scheme decides whether the cookie is `Secure`. */
  operatorUrl: string;
  brand: Brand;
  /** Undefined without an identity provider. */
  openId: OpenIdConfig | undefined;
  trustedProxies: readonly string[];
  telemetry: TelemetryConfig;
  /** Verbs read further variables of it, each for itself. */
  environment: Environment;
}

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: OperatorConfig; warnings: string[] } {
  const { values, warnings } = loadConfig('operator', environment);
  return {
    config: {
      databaseUrl: values.DATABASE_URL,
      databaseStartTimeoutMs: values.FAREBOX_DATABASE_START_TIMEOUT,
      databaseTimeoutMs: values.FAREBOX_DATABASE_TIMEOUT,
      host: values.FAREBOX_HOST,
      port: values.FAREBOX_OPERATOR_PORT,
      logLevel: values.FAREBOX_LOG_LEVEL,
      operatorUrl: values.FAREBOX_OPERATOR_URL,
      brand: toBrand(values),
      openId: toOpenIdConfig(values),
      trustedProxies: values.FAREBOX_TRUSTED_PROXIES,
      telemetry: toTelemetryConfig(values),
      environment,
    },
    warnings,
  };
}
