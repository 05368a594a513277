import { loadConfig, postgresUrl, type Environment } from '@farebox/config';
import type { ServiceLogin } from '@farebox/local-services';
import { z } from 'zod';

export interface MigrationConfig {
  /** Of the owner of the database. */
  databaseUrl: string;
  /** To be made, or given their passwords again, when the migrations are in. */
  logins: readonly ServiceLogin[];
}

const LOGIN_URL = 'must be a URL like postgres://user:password@host:5432/database, with user and password';

/** The URL that a service is given as its DATABASE_URL: it names the login to make. */
function loginUrl() {
  return z.string().refine((text) => {
    if (!postgresUrl().safeParse(text).success) return false;
    const { username, password } = new URL(text);
    return username !== '' && password !== '';
  }, LOGIN_URL);
}

export const variables = z.object({
  DATABASE_URL: postgresUrl(),
  FAREBOX_GATEWAY_DATABASE_URL: loginUrl().optional(),
  FAREBOX_ACCOUNT_DATABASE_URL: loginUrl().optional(),
  FAREBOX_WORKER_DATABASE_URL: loginUrl().optional(),
});

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: MigrationConfig; warnings: string[] } {
  const { values, warnings } = loadConfig(variables, environment);
  const logins = [
    loginOf(values.FAREBOX_GATEWAY_DATABASE_URL, 'farebox_app'),
    loginOf(values.FAREBOX_ACCOUNT_DATABASE_URL, 'farebox_account'),
    loginOf(values.FAREBOX_WORKER_DATABASE_URL, 'farebox_worker'),
  ];
  return {
    config: { databaseUrl: values.DATABASE_URL, logins: logins.filter((login) => login !== undefined) },
    warnings,
  };
}

function loginOf(
  url: string | undefined,
  group: NonNullable<ServiceLogin['group']>,
): ServiceLogin | undefined {
  if (url === undefined) return undefined;
  const { username, password } = new URL(url);
  return { user: decodeURIComponent(username), password: decodeURIComponent(password), group };
}
