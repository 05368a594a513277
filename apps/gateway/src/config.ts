import {
  loadConfig,
  toTelemetryConfig,
  type AnswerKey,
  type Environment,
  type KeyPepper,
  type TelemetryConfig,
} from '@farebox/config';
import type { LogLevel } from '@farebox/observability';
import type { ChannelTimes } from './wires/response-channel';
import { toLimiterSettings, type LimiterSettings } from './limiter/request-limits';

export interface GatewayConfig {
  databaseUrl: string;
  /** How long a start waits for a database that it cannot reach. */
  databaseStartTimeoutMs: number;
  redisUrl: string | undefined;
  keyPeppers: KeyPepper[];
  /** Key that encrypts the kept responses of repeatable requests. */
  answerKeys: AnswerKey[];
  /** A longer response is not kept. */
  keptBytesPerAnswer: number;
  /** Total size of the kept responses of an account. */
  keptBytesPerAccount: number;
  host: string;
  port: number;
  logLevel: LogLevel;
  /** Allowed CORS origins. */
  consoleOrigins: readonly string[];
  /** Limits per API key and per account. */
  requestLimits: LimiterSettings;
  /** There is no other gateway, so this one's own counts are complete. */
  isOnlyGateway: boolean;
  /** How long a request waits for PostgreSQL before it gets `service_unavailable`. */
  databaseTimeoutMs: number;
  /** How long a request waits for Redis before this gateway limits by itself. */
  redisTimeoutMs: number;
  /** How long this gateway's holds are safe from the sweep after its last sign of life. */
  leaseMs: number;
  /** How long running requests may take to finish when the process is asked to stop. */
  drainTimeoutMs: number;
  channelTimes: ChannelTimes;
  /** Maximum memory for all requests and all responses of this process at once. */
  memory: { bodiesBytes: number; responsesBytes: number };
  telemetry: TelemetryConfig;
}

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: GatewayConfig; warnings: string[] } {
  const { values, warnings } = loadConfig('gateway', environment);
  return {
    config: {
      databaseUrl: values.DATABASE_URL,
      databaseStartTimeoutMs: values.FAREBOX_DATABASE_START_TIMEOUT,
      redisUrl: values.REDIS_URL,
      keyPeppers: values.FAREBOX_KEY_PEPPERS,
      answerKeys: values.FAREBOX_ANSWER_KEYS,
      keptBytesPerAnswer: values.FAREBOX_KEPT_BYTES_PER_ANSWER,
      keptBytesPerAccount: values.FAREBOX_KEPT_BYTES_PER_ACCOUNT,
      host: values.FAREBOX_HOST,
      port: values.FAREBOX_GATEWAY_PORT,
      logLevel: values.FAREBOX_LOG_LEVEL,
      consoleOrigins: values.FAREBOX_CONSOLE_ORIGINS,
      requestLimits: toLimiterSettings(
        {
          requests: values.FAREBOX_RATE_LIMIT_REQUESTS,
          concurrent: values.FAREBOX_RATE_LIMIT_CONCURRENT,
          windowMs: values.FAREBOX_RATE_LIMIT_WINDOW,
        },
        {
          account: {
            requests: values.FAREBOX_ACCOUNT_RATE_LIMIT_REQUESTS,
            concurrent: values.FAREBOX_ACCOUNT_RATE_LIMIT_CONCURRENT,
          },
          free: {
            requests: values.FAREBOX_ACCOUNT_RATE_LIMIT_FREE_REQUESTS,
            concurrent: values.FAREBOX_ACCOUNT_RATE_LIMIT_FREE_CONCURRENT,
          },
        },
      ),
      isOnlyGateway: values.FAREBOX_ONLY_GATEWAY,
      memory: {
        bodiesBytes: values.FAREBOX_MEMORY_FOR_BODIES,
        responsesBytes: values.FAREBOX_MEMORY_FOR_RESPONSES,
      },
      databaseTimeoutMs: values.FAREBOX_DATABASE_TIMEOUT,
      redisTimeoutMs: values.FAREBOX_RATE_LIMIT_TIMEOUT,
      leaseMs: values.FAREBOX_LEASE,
      drainTimeoutMs: values.FAREBOX_DRAIN_TIMEOUT,
      channelTimes: {
        stallTimeoutMs: values.FAREBOX_CLIENT_STALL_TIMEOUT,
        leastBytesPerSecond: values.FAREBOX_CLIENT_LEAST_RATE,
        heartbeatMs: values.FAREBOX_STREAM_HEARTBEAT,
      },
      telemetry: toTelemetryConfig(values),
    },
    warnings,
  };
}
