import path from 'node:path';
import {
  applyMigrations,
  CONNECTION_SHARES,
  freePorts,
  passwordFrom,
  PostgresServer,
  provideServiceLogin,
  type ServiceLogin,
  urlFor,
} from '@farebox/local-services';
import pg from 'pg';
import { z } from 'zod';
import {
  type AdminContext,
  createDemoKey,
  createDemoLink,
  createDemoSession,
  fundDemoAccount,
  isRecognised,
  openDemoAccount,
  runAdmin,
} from './demo-account';
import { environmentOf, serviceEnvironment } from './process-environment';
import type { Progress } from './progress';
import type { Settings } from './settings';
import { codeOf, LaunchError } from './launch-error';
import { type Ports, startServices, startSimulatedUpstream, urlOfPort } from './services';
import {
  type LocalFile,
  provideSecrets,
  readLocalFile,
  type RunningStack,
  type StateFolder,
  unlessInterrupted,
  writeLocalFile,
} from './state-folder';

export interface BringUpContext {
  root: string;
  settings: Settings;
  state: StateFolder;
  /** Called with each service as soon as it has started. */
  stack: RunningStack;
  interrupt: AbortSignal;
  progress: Progress;
}

/** The messages for the person who started Farebox. */
export interface BroughtUp {
  local: LocalFile;
  /** Signs a browser in as the demo account, once. It is in no file. */
  signInLink: string | undefined;
}

/** Starts everything and returns the new content of `.farebox/local.json`. Throws LaunchError or ServiceExitError. */
export async function bringUp(context: BringUpContext): Promise<BroughtUp> {
  const { root, settings, state, stack, interrupt, progress } = context;
  const { ownerUrl, serviceUrl, accountUrl, workerUrl } = await provideDatabase(context);
  if (settings.redisUrl === undefined) {
    progress.say('No REDIS_URL: the rate limiter runs per process and the job queue runs on PostgreSQL.');
  }
  const ports = await choosePorts(settings);
  const simulatedUpstreamUrl = `${urlOfPort(ports.simulatedUpstream)}/v1`;
  const env = serviceEnvironment(process.env, settings, {
    databaseUrl: serviceUrl,
    secrets: provideSecrets(state.secretsFile),
    simulatedUpstreamUrl,
    baseUrl: urlOfPort(ports.edge),
  });
  const services = {
    root,
    state,
    stack,
    ports,
    env,
    accountDatabaseUrl: accountUrl,
    workerDatabaseUrl: workerUrl,
    progress,
  };
  const admin = { root, env: { ...environmentOf('admin', env), DATABASE_URL: ownerUrl }, interrupt };

  interrupt.throwIfAborted();
  progress.begin('Starting the simulated upstream, and applying the catalogue');
  await unlessInterrupted(startSimulatedUpstream(services), interrupt);
  await runAdmin(admin, ['catalog', 'apply'], z.unknown());

  interrupt.throwIfAborted();
  progress.begin('Seeding the demo account');
  const previous = readLocalFile(state.localFile);
  const accountId = await openDemoAccount(admin, ownerUrl);
  interrupt.throwIfAborted();
  await Promise.all([
    fundDemoAccount(admin, accountId, previous?.account_id),
    unlessInterrupted(startServices(services), interrupt),
  ]);
  progress.begin('Looking for the credentials of the last start');
  const urls = { gateway: urlOfPort(ports.gateway), account: urlOfPort(ports.account) };
  const local = {
    base_url: urlOfPort(ports.edge),
    gateway_url: urls.gateway,
    account_url: urls.account,
    ...(await provideCredentials(admin, accountId, previous, urls)),
    account_id: accountId,
    database_url: ownerUrl,
    simulated_upstream_url: simulatedUpstreamUrl,
  };
  interrupt.throwIfAborted();
  writeLocalFile(state.localFile, local);
  return { local, signInLink: await createDemoLink(admin) };
}

async function choosePorts(settings: Settings): Promise<Ports> {
  const [gateway = 0, account = 0, simulatedUpstream = 0] = await freePorts(3);
  return { edge: settings.port, gateway, account, simulatedUpstream };
}

/** Those of the last run, if they are still valid. */
async function provideCredentials(
  admin: AdminContext,
  accountId: string,
  previous: LocalFile | undefined,
  urls: { gateway: string; account: string },
): Promise<{ api_key: string; session_token: string }> {
  const known = previous?.account_id === accountId ? previous : undefined;
  const keepKey = known && (await isRecognised(`${urls.gateway}/v1/models`, known.api_key, admin.interrupt));
  const keepSession =
    known && (await isRecognised(`${urls.account}/v1/billing/balance`, known.session_token, admin.interrupt));
  return {
    api_key: keepKey ? known.api_key : await createDemoKey(admin, accountId),
    session_token: keepSession ? known.session_token : await createDemoSession(admin, accountId),
  };
}

const DATABASE = 'farebox';
const SERVICE_USER = 'farebox_service';
const ACCOUNT_USER = 'farebox_account_service';
const WORKER_USER = 'farebox_worker_service';
const CONNECT_BOUND_MS = 5_000;
const NO_SUCH_DATABASE = '3D000';

interface DatabaseContext {
  settings: Settings;
  state: StateFolder;
  stack: RunningStack;
  interrupt: AbortSignal;
  progress: Progress;
}

/** The URLs of one database. */
interface ProvidedDatabase {
  /** For the migrations and the admin command. */
  ownerUrl: string;
  /** For gateways, which move money only by the ledger's functions. */
  serviceUrl: string;
  /** For the account service, which may also take card payments. */
  accountUrl: string;
  /** For the worker, which may also sweep, reconcile and close months. */
  workerUrl: string;
}

/**
 * A database with all migrations: the user's own, whose URL all of them use, or the embedded one. Throws LaunchError.
 */
async function provideDatabase(context: DatabaseContext): Promise<ProvidedDatabase> {
  const { databaseUrl } = context.settings;
  const ownerUrl = databaseUrl === undefined ? await startEmbedded(context) : await assertUsable(databaseUrl);
  context.progress.begin('Applying migrations');
  await applyMigrations(ownerUrl, context.interrupt);
  if (databaseUrl !== undefined) {
    return { ownerUrl, serviceUrl: ownerUrl, accountUrl: ownerUrl, workerUrl: ownerUrl };
  }
  // The server is ours alone, and its services have one database.
  await runAsOwner(ownerUrl, 'REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC');
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

async function provideLogin(
  ownerUrl: string,
  login: ServiceLogin & { group: keyof typeof CONNECTION_SHARES },
): Promise<string> {
  await provideServiceLogin(ownerUrl, { ...login, connectionShare: CONNECTION_SHARES[login.group] });
  return urlFor(login, ownerUrl);
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

async function startEmbedded({ state, stack, progress }: DatabaseContext): Promise<string> {
  progress.begin('Starting PostgreSQL (data in .farebox/postgres)');
  const server = await PostgresServer.start({
    dataFolder: state.postgres,
    logFile: path.join(state.logs, 'postgres.log'),
    settings: { max_connections: '200' },
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
