import {
  keyPeppers,
  listenHost,
  loadConfig,
  logLevel,
  port,
  postgresUrl,
  type Environment,
  type KeyPepper,
} from '@farebox/config';
import type { LogLevel } from '@farebox/observability';
import { z } from 'zod';

export interface AccountConfig {
  databaseUrl: string;
  keyPeppers: KeyPepper[];
  host: string;
  port: number;
  logLevel: LogLevel;
}

const variables = z.object({
  DATABASE_URL: postgresUrl(),
  FAREBOX_KEY_PEPPERS: keyPeppers(),
  FAREBOX_HOST: listenHost().default('127.0.0.1'),
  FAREBOX_ACCOUNT_PORT: port().default(8082),
  FAREBOX_LOG_LEVEL: logLevel().default('info'),
});

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: AccountConfig; warnings: string[] } {
  const { values, warnings } = loadConfig(variables, environment);
  return {
    config: {
      databaseUrl: values.DATABASE_URL,
      keyPeppers: values.FAREBOX_KEY_PEPPERS,
      host: values.FAREBOX_HOST,
      port: values.FAREBOX_ACCOUNT_PORT,
      logLevel: values.FAREBOX_LOG_LEVEL,
    },
    warnings,
  };
}
