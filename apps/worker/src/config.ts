import { loadConfig, logLevel, postgresUrl, redisUrl, type Environment } from '@farebox/config';
import type { LogLevel } from '@farebox/observability';
import { z } from 'zod';

export interface WorkerConfig {
  databaseUrl: string;
  redisUrl: string | undefined;
  logLevel: LogLevel;
}

const variables = z.object({
  DATABASE_URL: postgresUrl(),
  REDIS_URL: redisUrl().optional(),
  FAREBOX_LOG_LEVEL: logLevel().default('info'),
});

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: WorkerConfig; warnings: string[] } {
  const { values, warnings } = loadConfig(variables, environment);
  return {
    config: {
      databaseUrl: values.DATABASE_URL,
      redisUrl: values.REDIS_URL,
      logLevel: values.FAREBOX_LOG_LEVEL,
    },
    warnings,
  };
}
