import { freePorts } from '@farebox/local-services';
import { z } from 'zod';
import {
  type AdminContext,
  createDemoKey,
  createDemoLink,
  createDemoSession,
  createOperatorLink,
  fundDemoAccount,
  isRecognised,
  openDemoAccount,
  runAdmin,
} from './demo-account';
import { prepareDatabase, reachDatabase } from './database';
import { environmentOf, serviceEnvironment } from './process-environment';
import type { Progress } from './progress';
import type { Settings } from './settings';
import {
  type Ports,
  startAccount,
  startOperator,
  startServices,
  startSimulatedUpstream,
  urlOfPort,
} from './services';
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
  /** Whether the operator's console is started, too. */
  withOperator: boolean;
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
  /** Signs a browser in as the owner, once; undefined without the operator's console. */
  operatorLink: string | undefined;
  /** Whom customers ask how to add funds. */
  supportEmail: string | undefined;
}

/** Starts everything and returns the new content of `.farebox/local.json`. Throws LaunchError or ServiceExitError. */
export async function bringUp(context: BringUpContext): Promise<BroughtUp> {
  const { root, settings, state, stack, interrupt, progress, withOperator } = context;
  const database = await reachDatabase(context);
  if (settings.redisUrl === undefined) {
    progress.say('No REDIS_URL: the rate limiter runs per process and the job queue runs on PostgreSQL.');
  }
  const ports = await choosePorts(settings);
  const simulatedUpstreamUrl = `${urlOfPort(ports.simulatedUpstream)}/v1`;
  const env = serviceEnvironment(process.env, settings, {
    databaseUrl: database.serviceUrl,
    secrets: provideSecrets(state.secretsFile),
    simulatedUpstreamUrl,
    baseUrl: urlOfPort(ports.edge),
    operatorUrl: urlOfPort(ports.operator),
  });
  const services = {
    root,
    state,
    stack,
    ports,
    env,
    accountDatabaseUrl: database.accountUrl,
    workerDatabaseUrl: database.workerUrl,
    operatorDatabaseUrl: database.operatorUrl,
    progress,
  };
  const admin = { root, env: { ...environmentOf('admin', env), DATABASE_URL: database.ownerUrl }, interrupt };

  interrupt.throwIfAborted();
  progress.begin('Applying migrations, and starting the simulated upstream');
  await Promise.all([
    prepareDatabase(database, interrupt),
    unlessInterrupted(startSimulatedUpstream(services), interrupt),
  ]);

  interrupt.throwIfAborted();
  progress.begin('Starting the account service, applying the catalogue and seeding the demo account');
  const previous = readLocalFile(state.localFile);
  const openAndServe = async () => {
    const catalog = await runAdmin(admin, ['catalog', 'apply', '--yes', '--keep-newer'], appliedCatalog);
    if (catalog.kept !== undefined)
      progress.say(
        `The catalogue stays that of ${catalog.kept}, version ${String(catalog.version)}: config/catalog.yaml is as it was ` +
          'applied before that. To go back to it: npm run admin -- catalog apply',
      );
    const accountId = await openDemoAccount(admin, database.ownerUrl);
    interrupt.throwIfAborted();
    const started = unlessInterrupted(startServices(services), interrupt);
    const link = fundDemoAccount(admin, accountId, previous?.account_id).then(() => createDemoLink(admin));
    const operate = withOperator && unlessInterrupted(startOperator(services), interrupt);
    const ownLink = withOperator ? createOperatorLink(admin) : undefined;
    const [signInLink, operatorLink] = await Promise.all([link, ownLink, started, operate]);
    return { accountId, signInLink, operatorLink };
  };
  const [{ accountId, signInLink, operatorLink }] = await Promise.all([
    openAndServe(),
    // It writes nothing of its own accord, unlike the worker, for which the past must be there.
    unlessInterrupted(startAccount(services), interrupt),
  ]);
  progress.begin('Looking for the credentials of the last start');
  const urls = { gateway: urlOfPort(ports.gateway), account: urlOfPort(ports.account) };
  const local = {
    base_url: urlOfPort(ports.edge),
    gateway_url: urls.gateway,
    account_url: urls.account,
    ...(await provideCredentials(admin, accountId, previous, urls)),
    account_id: accountId,
    database_url: database.ownerUrl,
    simulated_upstream_url: simulatedUpstreamUrl,
  };
  interrupt.throwIfAborted();
  writeLocalFile(state.localFile, local);
  return { local, signInLink, operatorLink, supportEmail: process.env.FAREBOX_SUPPORT_EMAIL };
}

/** `kept`: who applied the version that is in force, after the file. */
const appliedCatalog = z.object({ version: z.number(), kept: z.string().optional() });

async function choosePorts(settings: Settings): Promise<Ports> {
  const [gateway = 0, account = 0, simulatedUpstream = 0] = await freePorts(3);
  return { edge: settings.port, operator: settings.operatorPort, gateway, account, simulatedUpstream };
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
