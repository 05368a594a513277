import pg from 'pg';
import {
  provideServiceLogin,
  TEST_ACCOUNT_LOGIN,
  TEST_SERVICE_LOGIN,
  TEST_WORKER_LOGIN,
} from '../postgres/service-login';
import { applyMigrations } from './apply-migrations';

/**
 * Makes the database `name` on the server of `serverUrl`, with all migrations, to be cloned with
 * `CREATE DATABASE … TEMPLATE`, and the roles that services use in its clones. It takes no connections afterwards,
 * since one would stand in the way of a clone.
 */
export async function createTemplateDatabase(serverUrl: string, name: string): Promise<void> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await applyMigrations(url.href);
  await provideServiceLogin(url.href, TEST_SERVICE_LOGIN);
  await provideServiceLogin(url.href, TEST_ACCOUNT_LOGIN);
  await provideServiceLogin(url.href, TEST_WORKER_LOGIN);
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`ALTER DATABASE ${pg.escapeIdentifier(name)} WITH ALLOW_CONNECTIONS false`);
  } finally {
    await client.end();
  }
}
