import path from 'node:path';
import {
  applyMigrations,
  passwordFrom,
  PostgresServer,
  provideServiceLogin,
  urlFor,
  type ServiceLogin,
} from '@farebox/local-services';
import pg from 'pg';
import { LaunchError } from './settings';
import { codeOf } from './settings';
import { type RunningStack } from './running-stack';
import { type Settings } from './settings';
import { type StateFolder } from './state-folder';

const DATABASE = 'farebox';
const SERVICE_USER = 'farebox_service';
const ACCOUNT_USER = 'farebox_account_service';
const WORKER_USER = 'farebox_worker_service';
const CONNECT_BOUND_MS = 5_000;
const NO_SUCH_DATABASE = '3D000';

export interface DatabaseContext {
  settings: Settings;
  state: StateFolder;
  stack: RunningStack;
  interrupt: AbortSignal;
  say: (line: string) => void;
}

/** The URLs of one database. */
export interface ProvidedDatabase {
  /** For the migrations and the admin command. */
  ownerUrl: string;
  /** For gateways, which may move money by the ledger's functions alone. */
  serviceUrl: string;
  /** For the account service, which may take card payments as well. */
  accountUrl: string;
  /** For the worker, which may sweep, reconcile and close months as well. */
  workerUrl: string;
}

/** A database with all migrations: the user's own, whose URL all of them use, or the embedded one. Throws LaunchError. */
export async function provideDatabase(context: DatabaseContext): Promise<ProvidedDatabase> {
  const { databaseUrl } = context.settings;
  const ownerUrl = databaseUrl === undefined ? await startEmbedded(context) : await assertUsable(databaseUrl);
  context.say('Applying migrations');
  await applyMigrations(ownerUrl, context.interrupt);
  if (databaseUrl !== undefined) {
    return { ownerUrl, serviceUrl: ownerUrl, accountUrl: ownerUrl, workerUrl: ownerUrl };
  }
  const password = passwordFrom(context.state.servicePasswordFile);
  const accountPassword = passwordFrom(context.state.accountPasswordFile);
  const workerPassword = passwordFrom(context.state.workerPasswordFile);
  return {
    ownerUrl,
    serviceUrl: await provideLogin(ownerUrl, { user: SERVICE_USER, password, group: 'farebox_app' }),
    accountUrl: await provideLogin(ownerUrl, {
      user: ACCOUNT_USER,
      password: accountPassword,
      group: 'farebox_account',
    }),
    workerUrl: await provideLogin(ownerUrl, {
      user: WORKER_USER,
      password: workerPassword,
      group: 'farebox_worker',
    }),
  };
}

async function provideLogin(ownerUrl: string, login: ServiceLogin): Promise<string> {
  await provideServiceLogin(ownerUrl, login);
  return urlFor(login, ownerUrl);
}

async function startEmbedded({ state, stack, say }: DatabaseContext): Promise<string> {
  say('Starting PostgreSQL (data in .farebox/postgres)');
  const server = await PostgresServer.start({
    dataFolder: state.postgres,
    logFile: path.join(state.logs, 'postgres.log'),
    settings: { max_connections: '200' },
    say,
  });
  stack.add(server.service, () => server.stop());
  return server.url(DATABASE);
}

/** A database that does not exist yet is well: the migrations make it. */
async function assertUsable(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_BOUND_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    if (codeOf(error) !== NO_SUCH_DATABASE) {
      const { host, pathname } = new URL(url);
      throw new LaunchError(
        `The database of DATABASE_URL (${host}${pathname}) cannot be used: ${reasonOf(error)}.`,
      );
    }
  } finally {
    await client.end().catch(() => undefined);
  }
  return url;
}

/** Node has no message of its own for a connection that failed on several addresses. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
