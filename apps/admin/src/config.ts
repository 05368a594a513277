import {
  DEFAULT_PUBLIC_URL,
  keyPeppers,
  loadConfig,
  postgresUrl,
  publicUrl,
  redisUrl,
  type Environment,
  type KeyPepper,
} from '@farebox/config';
import { chooseJobBackend, type JobBackend } from '@farebox/jobs';
import { z } from 'zod';

const DEFAULT_CATALOG_FILE = 'config/catalog.yaml';

/** Each command reads what it needs, so that a ledger check asks for no pepper. All throw `ConfigError`. */
export function readDatabaseUrl(environment: Environment): string {
  return loadConfig(z.object({ DATABASE_URL: postgresUrl() }), environment).values.DATABASE_URL;
}

/** Where the worker keeps its queues: in the Redis of REDIS_URL, or in the database where that is not set. */
export function readJobBackend(environment: Environment): JobBackend {
  const variables = z.object({ DATABASE_URL: postgresUrl(), REDIS_URL: redisUrl().optional() });
  const { DATABASE_URL, REDIS_URL } = loadConfig(variables, environment).values;
  return chooseJobBackend(REDIS_URL, DATABASE_URL);
}

export function readKeyPeppers(environment: Environment): KeyPepper[] {
  return loadConfig(z.object({ FAREBOX_KEY_PEPPERS: keyPeppers() }), environment).values.FAREBOX_KEY_PEPPERS;
}

/** The origin that links lead to. */
export function readPublicUrl(environment: Environment): string {
  const variables = z.object({ FAREBOX_PUBLIC_URL: publicUrl().default(DEFAULT_PUBLIC_URL) });
  return loadConfig(variables, environment).values.FAREBOX_PUBLIC_URL;
}

export function readCatalogFile(environment: Environment): string {
  return loadConfig(z.object({ FAREBOX_CATALOG: z.string().default(DEFAULT_CATALOG_FILE) }), environment)
    .values.FAREBOX_CATALOG;
}
