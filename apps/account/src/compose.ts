import { createKeyHasher, findSession } from '@farebox/auth';
import { assertMigrated, createPool, createPrismaClient } from '@farebox/database';
import type { Logger } from '@farebox/observability';
import type { Express } from 'express';
import { createApp } from './app';
import type { AccountConfig } from './config';
import { apiKeyEndpoints } from './http/api-keys/endpoints';
import { billingEndpoints } from './http/billing/endpoints';

export interface AccountService {
  app: Express;
  /** From now on, `/readyz` says no. */
  beginDrain(): void;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 10;
/** With these a database that is down or slow is answered with 503 within two to three seconds. */
const CONNECT_TIMEOUT_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 1_500;

/** Builds every client of the service and hands each part what it needs. Throws where the database is not as this code needs it. */
export async function compose(config: AccountConfig, log: Logger): Promise<AccountService> {
  const pool = createPool({
    url: config.databaseUrl,
    max: MAX_CONNECTIONS,
    applicationName: 'farebox-account',
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onConnectionLost: (error) => {
      log.warn({ event: 'database_connection_lost', error }, 'lost an idle database connection');
    },
  });
  await assertMigrated(pool);
  const prisma = createPrismaClient(pool);
  const hasher = createKeyHasher(config.keyPeppers);
  let draining = false;

  const app = createApp({
    endpoints: [...apiKeyEndpoints({ prisma, hasher }), ...billingEndpoints({ pool, prisma })],
    findSession: (token) => findSession(pool, token),
    readiness: {
      isReady: () =>
        !draining &&
        pool.query('SELECT 1').then(
          () => true,
          () => false,
        ),
    },
    log,
  });

  return {
    app,
    beginDrain: () => {
      draining = true;
    },
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}
