import { createSession } from '@farebox/accounts';
import { createPool } from '@farebox/database';
import { createTestDatabase, givenAccount, type GivenAccount } from '@farebox/testing';
import type { Pool } from 'pg';
import { startAccountProcess, type AccountProcess } from './account-process';
import { httpClient, type Received, type Send, type Sent } from './http-client';

/** Someone with an account and a session. */
export interface Customer {
  accountId: string;
  sessionToken: string;
  /** Sends with the session as a bearer. */
  send: Send;
}

/** The running service with a database of its own. */
export interface AccountStand {
  pool: Pool;
  /** The database's, for a gateway beside the service. */
  serviceUrl: string;
  /** The database's, for a worker beside the service. */
  workerUrl: string;
  process: AccountProcess;
  /** Sends without a credential. */
  send: Send;
  givenCustomer(account?: GivenAccount): Promise<Customer>;
  close(): Promise<void>;
}

export interface StandOptions {
  /** The URL that the service is given for its database, where it is not the database's own. */
  urlForService?: (databaseUrl: string) => Promise<string>;
  /** In addition to what the service needs. */
  environment?: Record<string, string>;
}

export async function openAccountStand({
  urlForService,
  environment = {},
}: StandOptions = {}): Promise<AccountStand> {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.url, max: 4, applicationName: 'account-e2e' });
  const { serviceUrl, accountUrl, workerUrl } = database;
  const process = await startAccountProcess((await urlForService?.(accountUrl)) ?? accountUrl, environment);
  const send = httpClient(process.port);
  return {
    pool,
    serviceUrl,
    workerUrl,
    process,
    send,
    async givenCustomer(account) {
      const accountId = await givenAccount(pool, account);
      const { token } = await createSession(accountId, pool);
      return { accountId, sessionToken: token, send: withBearer(send, token) };
    },
    async close() {
      await process.stop();
      await pool.end();
      await database.drop();
    },
  };
}

function withBearer(send: Send, token: string): Send {
  return (method: string, path: string, { headers = {}, ...rest }: Sent = {}): Promise<Received> =>
    send(method, path, {
      ...rest,
      headers: Array.isArray(headers)
        ? [...headers, 'authorization', `Bearer ${token}`]
        : { authorization: `Bearer ${token}`, ...headers },
    });
}
