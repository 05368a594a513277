import { z } from 'zod';
import { answerKeys } from '../answer-keys';
import { durationMs, listenHost, logLevel, port, postgresUrl, redisUrl, wholeNumber } from '../fields';
import { keyPeppers } from '../key-peppers';
import { telemetryVariables } from '../telemetry';

/** What the gateway reads of its environment. */
export const gatewayVariables = z.object({
  DATABASE_URL: postgresUrl(),
  REDIS_URL: redisUrl().optional(),
  FAREBOX_KEY_PEPPERS: keyPeppers(),
  FAREBOX_ANSWER_KEYS: answerKeys(),
  FAREBOX_KEPT_BYTES_PER_ANSWER: wholeNumber({ min: 0, max: 16_777_216 }).default(1_048_576),
  FAREBOX_KEPT_BYTES_PER_ACCOUNT: wholeNumber({ min: 0, max: 1_000_000_000_000 }).default(268_435_456),
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
  ...telemetryVariables,
});
