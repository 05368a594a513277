import path from 'node:path';
import { ServiceProcess, waitForHttp } from '@farebox/local-services';
import { z } from 'zod';
import { environmentOf, metricsEnvironment } from './process-environment';
import type { Progress } from './progress';
import type { RunningStack, StateFolder } from './state-folder';

export interface Ports {
  edge: number;
  gateway: number;
  account: number;
  simulatedUpstream: number;
  operator: number;
}

interface ServicesContext {
  root: string;
  state: StateFolder;
  stack: RunningStack;
  ports: Ports;
  /** Each process gets the part that it needs. */
  env: NodeJS.ProcessEnv;
  /** Replaces the database URL in `env`: account service and worker have rights of their own. */
  accountDatabaseUrl: string;
  workerDatabaseUrl: string;
  operatorDatabaseUrl: string;
  progress: Progress;
}

const READY_EVENT = '"event":"ready"';

export const urlOfPort = (port: number): string => `http://127.0.0.1:${String(port)}`;

/** Started separately: the catalogue names it. */
export async function startSimulatedUpstream(context: ServicesContext): Promise<void> {
  const upstream = launch(context, 'simulated-upstream', {
    FAREBOX_SIMULATED_UPSTREAM_PORT: String(context.ports.simulatedUpstream),
  });
  await upstream.until(upstream.output.waitForLine(READY_EVENT));
}

/** Resolves when it is ready. Throws ServiceExitError if it ends. */
export async function startAccount(context: ServicesContext): Promise<void> {
  const port = context.ports.account;
  const account = launch(context, 'account', {
    DATABASE_URL: context.accountDatabaseUrl,
    FAREBOX_ACCOUNT_PORT: String(port),
  });
  await account.until(waitForHttp(`${urlOfPort(port)}/readyz`, Infinity));
}

/** Resolves when it is ready. Throws ServiceExitError if it ends. */
export async function startOperator(context: ServicesContext): Promise<void> {
  const port = context.ports.operator;
  const operator = launch(context, 'operator', {
    DATABASE_URL: context.operatorDatabaseUrl,
    FAREBOX_OPERATOR_PORT: String(port),
  });
  await operator.until(waitForHttp(`${urlOfPort(port)}/readyz`, Infinity));
}

/** Starts the rest together, and waits until all of it is ready. Throws ServiceExitError if one ends. */
export async function startServices(context: ServicesContext): Promise<void> {
  const { ports } = context;
  const gateway = launch(context, 'gateway', { FAREBOX_GATEWAY_PORT: String(ports.gateway) });
  const worker = launch(context, 'worker', { DATABASE_URL: context.workerDatabaseUrl });
  sayLinks(worker, (line) => {
    context.progress.say(line);
  });
  const edge = launch(context, 'edge', {
    FAREBOX_PORT: String(ports.edge),
    FAREBOX_EDGE_GATEWAY_URLS: urlOfPort(ports.gateway),
    FAREBOX_EDGE_ACCOUNT_URL: urlOfPort(ports.account),
  });
  const awaited = new Set<string>();
  const step = 'Starting gateway, worker and edge';
  context.progress.begin(step, () =>
    awaited.size === 0 ? step : `waiting for ${[...awaited].join(', ')} (logs in .farebox/logs)`,
  );
  const untilReady = async (service: ServiceProcess, ready: Promise<unknown>): Promise<void> => {
    awaited.add(service.name);
    await service.until(ready);
    awaited.delete(service.name);
  };
  await Promise.all([
    untilReady(worker, worker.output.waitForLine(READY_EVENT)),
    untilReady(gateway, waitForHttp(`${urlOfPort(ports.gateway)}/readyz`, Infinity)),
    untilReady(edge, edge.output.waitForLine(READY_EVENT)),
  ]);
}

/** Arguments of Node that run a bundle of dist/. */
export function bundleArgs(root: string, name: string): string[] {
  return [path.join(root, 'tools/commands/run-bundle.mjs'), path.join(root, `dist/${name}/main.js`)];
}

/**
 * V8's young generation grows to three times this during a start, and keeps it: up to 48 MB a process that does nothing
 * afterwards. Requests of the gateway live longer than two megabytes of garbage take.
 */
const LEAST_YOUNG_MIB = 2;
const YOUNG_MIB: Readonly<Record<string, number>> = { gateway: 4 };

function launch(context: ServicesContext, name: string, env: NodeJS.ProcessEnv): ServiceProcess {
  const service = ServiceProcess.start({
    name,
    args: [
      `--max-semi-space-size=${String(YOUNG_MIB[name] ?? LEAST_YOUNG_MIB)}`,
      ...bundleArgs(context.root, name),
    ],
    cwd: context.root,
    env: { ...environmentOf(name, context.env), ...metricsEnvironment(context.env, name), ...env },
    logFile: path.join(context.state.logs, `${name}.log`),
  });
  return context.stack.add(service);
}

const linkLine = z.object({ event: z.literal('sign_in_link'), sign_in_link: z.string() });

/** Shows in the terminal every sign-in link that the worker logs instead of mailing it. */
function sayLinks(worker: ServiceProcess, say: (line: string) => void): void {
  worker.output.onLine((line) => {
    const link = readLink(line);
    if (link !== undefined) say(`A link to sign in, once, within 15 minutes: ${link}`);
  });
}

/** The link in a line of the log, if it has one. */
export function readLink(line: string): string | undefined {
  if (!line.includes('"sign_in_link"')) return undefined;
  try {
    return linkLine.safeParse(JSON.parse(line)).data?.sign_in_link;
  } catch {
    return undefined;
  }
}
