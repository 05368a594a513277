import { freePorts } from '@farebox/local-services';
import { z } from 'zod';
import { runAdmin, type AdminContext } from './demo-account';
import { isRecognised } from './demo-account';
import { provideDatabase } from './database';
import {
  createDemoKey,
  createDemoLink,
  createDemoSession,
  fundDemoAccount,
  openDemoAccount,
} from './demo-account';
import { serviceEnvironment } from './settings';
import { unlessInterrupted } from './running-stack';
import { readLocalFile, writeLocalFile, type LocalFile } from './state-folder';
import { type RunningStack } from './running-stack';
import { provideSecrets } from './state-folder';
import { startServices, startSimulatedUpstream, urlOfPort, type Ports } from './services';
import { type Settings } from './settings';
import { type StateFolder } from './state-folder';

export interface BringUpContext {
  root: string;
  settings: Settings;
  state: StateFolder;
  /** Gets everything that is started, as soon as it is. */
  stack: RunningStack;
  interrupt: AbortSignal;
  say: (line: string) => void;
}

/** What the person who started Farebox is told. */
export interface BroughtUp {
  local: LocalFile;
  /** Signs a browser in as the demo account, once. It is in no file. */
  signInLink: string | undefined;
}

/** Starts everything and returns what `.farebox/local.json` then says. Throws LaunchError or ServiceExitError. */
export async function bringUp(context: BringUpContext): Promise<BroughtUp> {
  const { root, settings, state, stack, interrupt, say } = context;
  const { ownerUrl, serviceUrl, accountUrl, workerUrl } = await provideDatabase(context);
  if (settings.redisUrl === undefined) {
    say('No REDIS_URL: the rate limiter runs per process and the job queue runs on PostgreSQL.');
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
    say,
  };
  const admin = { root, env: { ...env, DATABASE_URL: ownerUrl }, interrupt };

  interrupt.throwIfAborted();
  say('Starting the simulated upstream, and applying the catalogue');
  await unlessInterrupted(startSimulatedUpstream(services), interrupt);
  await runAdmin(admin, ['catalog', 'apply'], z.unknown());

  interrupt.throwIfAborted();
  say('Starting gateway, account, worker and edge, and seeding the demo account');
  const previous = readLocalFile(state.localFile);
  const accountId = await openDemoAccount(admin, ownerUrl);
  interrupt.throwIfAborted();
  await Promise.all([
    fundDemoAccount(admin, accountId, previous?.account_id),
    unlessInterrupted(startServices(services), interrupt),
  ]);
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

/** Those of the last run, where they are still recognised. */
async function provideCredentials(
  admin: AdminContext,
  accountId: string,
  previous: LocalFile | undefined,
  urls: { gateway: string; account: string },
): Promise<{ api_key: string; session_token: string }> {
  const known = previous?.account_id === accountId ? previous : undefined;
  const keepKey = known && (await isRecognised(`${urls.gateway}/v1/models`, known.api_key));
  const keepSession =
    known && (await isRecognised(`${urls.account}/v1/billing/balance`, known.session_token));
  return {
    api_key: keepKey ? known.api_key : await createDemoKey(admin, accountId),
    session_token: keepSession ? known.session_token : await createDemoSession(admin, accountId),
  };
}
