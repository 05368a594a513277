import { loadConfig, toOwnedBy, type Environment, type KeyPepper } from '@farebox/config';
import { chooseJobBackend, type JobBackend } from '@farebox/jobs';

/** Each command reads what it needs, so that a ledger check asks for no pepper. All throw `ConfigError`. */
export function readDatabaseUrl(environment: Environment): string {
  return loadConfig('admin', environment, ['DATABASE_URL']).values.DATABASE_URL;
}

/** Where the worker keeps its queues: in the Redis of REDIS_URL, or in the database if that is not set. */
export function readJobBackend(environment: Environment): JobBackend {
  const { DATABASE_URL, REDIS_URL } = loadConfig('admin', environment, ['DATABASE_URL', 'REDIS_URL']).values;
  return chooseJobBackend(REDIS_URL, DATABASE_URL);
}

export function readKeyPeppers(environment: Environment): KeyPepper[] {
  return loadConfig('admin', environment, ['FAREBOX_KEY_PEPPERS']).values.FAREBOX_KEY_PEPPERS;
}

/** The origin that links lead to. */
export function readPublicUrl(environment: Environment): string {
  return loadConfig('admin', environment, ['FAREBOX_PUBLIC_URL']).values.FAREBOX_PUBLIC_URL;
}

/** What a model is owned by if the catalogue file does not say it. */
export function readOwnedBy(environment: Environment): string {
  return toOwnedBy(loadConfig('admin', environment, ['FAREBOX_OPERATOR_NAME']).values.FAREBOX_OPERATOR_NAME);
}

export function readCatalogFile(environment: Environment): string {
  return loadConfig('admin', environment, ['FAREBOX_CATALOG']).values.FAREBOX_CATALOG;
}
