import path from 'node:path';
import {
  applyMigrations,
  CONNECTION_SHARES,
  passwordFrom,
  PostgresServer,
  provideServiceLogin,
  type ServiceLogin,
  urlFor,
} from '@farebox/local-services';
import pg from 'pg';
import { codeOf, LaunchError } from './launch-error';
import type { Progress } from './progress';
import type { Settings } from './settings';
import type { RunningStack, StateFolder } from './state-folder';

const DATABASE = 'farebox';
const CONNECT_BOUND_MS = 5_000;
const NO_SUCH_DATABASE = '3D000';

interface DatabaseContext {
  settings: Settings;
  state: StateFolder;
  stack: RunningStack;
  progress: Progress;
}

type Login = ServiceLogin & { group: keyof typeof CONNECTION_SHARES };

/** The URLs of one database. */
export interface DatabaseUrls {
  /** For the migrations and the admin command. */
  ownerUrl: string;
  /** For gateways, which move money only by the ledger's functions. */
  serviceUrl: string;
  /** For the account service, which may also take card payments. */
  accountUrl: string;
  /** For the worker, which may also sweep, reconcile and close months. */
  workerUrl: string;
  /** For the operator service, which runs the operator's verbs. */
  operatorUrl: string;
  /** Logins of the embedded server: they may not exist yet, or have other passwords. */
  logins: readonly Login[];
}

/** The user's own database, whose URL all of them use, or the embedded one. Throws LaunchError. */
export async function reachDatabase(context: DatabaseContext): Promise<DatabaseUrls> {
  const { settings, state } = context;
  if (settings.databaseUrl !== undefined) {
    const url = await assertUsable(settings.databaseUrl);
    return {
      ...{ ownerUrl: url, serviceUrl: url, accountUrl: url, workerUrl: url, operatorUrl: url },
      logins: [],
    };
  }
  const ownerUrl = await startEmbedded(context);
  const login = (group: Login['group'], user: string, file: string): Login => ({
    ...{ user, group, password: passwordFrom(file) },
    connectionShare: CONNECTION_SHARES[group],
  });
  const service = login('farebox_app', 'farebox_service', state.servicePasswordFile);
  const account = login('farebox_account', 'farebox_account_service', state.accountPasswordFile);
  const worker = login('farebox_worker', 'farebox_worker_service', state.workerPasswordFile);
  const operator = login('farebox_operator', 'farebox_operator_service', state.operatorPasswordFile);
  return {
    ownerUrl,
    serviceUrl: urlFor(service, ownerUrl),
    accountUrl: urlFor(account, ownerUrl),
    workerUrl: urlFor(worker, ownerUrl),
    operatorUrl: urlFor(operator, ownerUrl),
    logins: [service, account, worker, operator],
  };
}

/** Applies the missing migrations, and provides the logins. */
export async function prepareDatabase(
  { ownerUrl, logins }: DatabaseUrls,
  interrupt: AbortSignal,
): Promise<void> {
  await applyMigrations(ownerUrl, interrupt);
  if (logins.length === 0) return;
  // The server is ours alone, and its services have one database.
  await runAsOwner(ownerUrl, 'REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC');
  for (const login of logins) await provideServiceLogin(ownerUrl, login);
}

async function runAsOwner(ownerUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** One person's server keeps little of the database in memory, and needs no processes of its own to read it. */
const SETTINGS = { max_connections: '200', shared_buffers: '16MB', io_method: 'sync' };

async function startEmbedded({ state, stack, progress }: DatabaseContext): Promise<string> {
  progress.begin('Starting PostgreSQL (data in .farebox/postgres)');
  const server = await PostgresServer.start({
    dataFolder: state.postgres,
    logFile: path.join(state.logs, 'postgres.log'),
    settings: SETTINGS,
    say: (line) => {
      progress.say(line);
    },
  });
  stack.add(server.service, () => server.stop());
  return server.url(DATABASE);
}

/** The database need not exist yet: the migrations create it. */
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
