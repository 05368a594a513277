import { loadConfig, type Environment } from '@farebox/config';
import type { ServiceLogin } from '@farebox/local-services';

interface MigrationConfig {
  /** Of the owner of the database. */
  databaseUrl: string;
  /** To be made, or given their passwords again, when the migrations are in. */
  logins: readonly ServiceLogin[];
}

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: MigrationConfig; warnings: string[] } {
  const { values, warnings } = loadConfig('migration', environment);
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
