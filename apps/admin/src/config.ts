import {
  keyPeppers,
  loadConfig,
  mailVariables,
  postgresUrl,
  toMailConfig,
  type Environment,
  type KeyPepper,
  type MailConfig,
} from '@farebox/config';
import { z } from 'zod';

const DEFAULT_CATALOG_FILE = 'config/catalog.yaml';

/** Each command reads what it needs, so that a ledger check asks for no pepper. All throw `ConfigError`. */
export function readDatabaseUrl(environment: Environment): string {
  return loadConfig(z.object({ DATABASE_URL: postgresUrl() }), environment).values.DATABASE_URL;
}

export function readKeyPeppers(environment: Environment): KeyPepper[] {
  return loadConfig(z.object({ FAREBOX_KEY_PEPPERS: keyPeppers() }), environment).values.FAREBOX_KEY_PEPPERS;
}

/** Where links lead, and how they are mailed, if they are. */
export function readMailConfig(environment: Environment): {
  publicUrl: string;
  mail: MailConfig | undefined;
} {
  return toMailConfig(loadConfig(z.object(mailVariables), environment).values);
}

export function readCatalogFile(environment: Environment): string {
  return loadConfig(z.object({ FAREBOX_CATALOG: z.string().default(DEFAULT_CATALOG_FILE) }), environment)
    .values.FAREBOX_CATALOG;
}
