import {
  applyMigrations,
  provideServiceLogin,
  startTemporaryPostgres,
  TEST_ACCOUNT_LOGIN,
  TEST_WORKER_LOGIN,
  TEST_SERVICE_LOGIN,
  urlFor,
} from '@farebox/local-services';
import pg from 'pg';

/** A PostgreSQL of the test's own, with everybody's login. */
export interface RevokeDatabase {
  ownerUrl: string;
  gatewayUrl: string;
  accountUrl: string;
  /** As the owner. */
  pool: pg.Pool;
  remove(): Promise<void>;
}

const DATABASE = 'revoke';

export async function startRevokeDatabase(): Promise<RevokeDatabase> {
  const postgres = await startTemporaryPostgres();
  const ownerUrl = postgres.server.url(DATABASE);
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 2 });
  const remove = async (): Promise<void> => {
    await pool.end();
    await postgres.remove();
  };
  try {
    await applyMigrations(ownerUrl);
    for (const login of [TEST_SERVICE_LOGIN, TEST_ACCOUNT_LOGIN, TEST_WORKER_LOGIN])
      await provideServiceLogin(ownerUrl, login);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    ownerUrl,
    gatewayUrl: urlFor(TEST_SERVICE_LOGIN, ownerUrl),
    accountUrl: urlFor(TEST_ACCOUNT_LOGIN, ownerUrl),
    pool,
    remove,
  };
}
