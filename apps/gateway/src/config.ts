import {
  answerKeys,
  durationMs,
  keyPeppers,
  listenHost,
  loadConfig,
  logLevel,
  port,
  postgresUrl,
  redisUrl,
  wholeNumber,
  type AnswerKey,
  type Environment,
  type KeyPepper,
} from '@farebox/config';
import type { LogLevel } from '@farebox/observability';
import { z } from 'zod';
import type { ChannelTimes } from './http/chat-completions/response-channel';
import type { LimiterSettings } from './limiter/request-limiter';

export interface GatewayConfig {
  databaseUrl: string;
  redisUrl: string | undefined;
  keyPeppers: KeyPepper[];
  /** Under which the answers of repeatable requests are kept. */
  answerKeys: AnswerKey[];
  host: string;
  port: number;
  logLevel: LogLevel;
  /** Of each API key. */
  requestLimits: LimiterSettings;
  /** How long this gateway's holds are safe from the sweep after it last said that it lives. */
  leaseMs: number;
  /** How long running requests may take to their end when the process is asked to stop. */
  drainTimeoutMs: number;
  channelTimes: ChannelTimes;
}

const variables = z.object({
  DATABASE_URL: postgresUrl(),
  REDIS_URL: redisUrl().optional(),
  FAREBOX_KEY_PEPPERS: keyPeppers(),
  FAREBOX_ANSWER_KEYS: answerKeys(),
  FAREBOX_HOST: listenHost().default('127.0.0.1'),
  FAREBOX_GATEWAY_PORT: port().default(8081),
  FAREBOX_LOG_LEVEL: logLevel().default('info'),
  FAREBOX_RATE_LIMIT_REQUESTS: wholeNumber({ min: 1, max: 1_000_000 }).default(60),
  FAREBOX_RATE_LIMIT_WINDOW: durationMs({ min: 1_000, max: 3_600_000 }).default(60_000),
  FAREBOX_RATE_LIMIT_CONCURRENT: wholeNumber({ min: 1, max: 100_000 }).default(16),
  FAREBOX_LEASE: durationMs({ min: 1_000, max: 600_000 }).default(30_000),
  FAREBOX_DRAIN_TIMEOUT: durationMs({ min: 0, max: 3_600_000 }).default(30_000),
  FAREBOX_CLIENT_STALL_TIMEOUT: durationMs({ min: 100, max: 600_000 }).default(30_000),
  FAREBOX_STREAM_HEARTBEAT: durationMs({ min: 100, max: 600_000 }).default(15_000),
});

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: GatewayConfig; warnings: string[] } {
  const { values, warnings } = loadConfig(variables, environment);
  return {
    config: {
      databaseUrl: values.DATABASE_URL,
      redisUrl: values.REDIS_URL,
      keyPeppers: values.FAREBOX_KEY_PEPPERS,
      answerKeys: values.FAREBOX_ANSWER_KEYS,
      host: values.FAREBOX_HOST,
      port: values.FAREBOX_GATEWAY_PORT,
      logLevel: values.FAREBOX_LOG_LEVEL,
      requestLimits: {
        requests: values.FAREBOX_RATE_LIMIT_REQUESTS,
        windowMs: values.FAREBOX_RATE_LIMIT_WINDOW,
        concurrent: values.FAREBOX_RATE_LIMIT_CONCURRENT,
      },
      leaseMs: values.FAREBOX_LEASE,
      drainTimeoutMs: values.FAREBOX_DRAIN_TIMEOUT,
      channelTimes: {
        stallTimeoutMs: values.FAREBOX_CLIENT_STALL_TIMEOUT,
        heartbeatMs: values.FAREBOX_STREAM_HEARTBEAT,
      },
    },
    warnings,
  };
}
