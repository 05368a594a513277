import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, ServiceProcess, workspaceRoot } from '@farebox/local-services';
import { AGENTS } from './agent-answers';
import { WIRE_PATHS } from './conversation';
import type { Load } from './loads';

/** Where a request goes on a contestant's port. */
export interface Address {
  path: string;
  headers: Record<string, string>;
  /** Default: `bench`. */
  model?: string;
  /** Further headers, one of these for each request in turn: the keys of many customers. */
  keys?: readonly Record<string, string>[];
}

/** A server that clients can use in place of the upstream. */
export interface Contestant extends Address {
  name: string;
  port: number;
  /** Its request; model and `stream` are added. Default: as for chat completions. */
  toBody?: (prompt: string) => object;
  /** For agents, many keys and outages; undefined for one that it does not serve. Default: none of them. */
  addressFor?: (load: Load) => Address | undefined;
  /** Whether it takes part in another load. Default: in all. */
  servesPlain?: (load: Load) => boolean;
  /** The processes whose processor time and memory count. None for the upstream itself. */
  processes: ServiceProcess[];
  /** Resources that the databases behind it have used so far. */
  databasesCpuMs?: () => DatabasesCpuMs;
  stop(): Promise<void>;
}

/** Processor time of databases, as far as it is known on this machine. */
export interface DatabasesCpuMs {
  postgres?: number;
  redis?: number;
}

export interface Upstream {
  port: number;
  origin: string;
}

export const CHAT_PATH = '/v1/chat/completions';

/** The upstream itself, with nothing in front. */
export function direct(upstream: Upstream): Contestant {
  return {
    name: 'direct',
    port: upstream.port,
    path: CHAT_PATH,
    headers: {},
    addressFor: passedOn,
    processes: [],
    stop: () => Promise.resolve(),
  };
}

/** The client's wire is the upstream's: there is nothing that could translate. */
function passedOn({ agent, outage }: Load): Address | undefined {
  if (outage) return undefined;
  const path = agent ? `${AGENTS}/v1${WIRE_PATHS[agent.wires.client]}` : CHAT_PATH;
  return { path, headers: {} };
}

/** A bare proxy: see `bare-proxy.ts`. */
export async function bareProxy(
  name: string,
  manner: 'dispatch' | 'request',
  upstream: Upstream,
): Promise<Contestant> {
  const port = await freePort();
  const service = ServiceProcess.start({
    name,
    args: [path.join(workspaceRoot(), 'dist/benches/bare-proxy.js'), manner],
    env: { PORT: String(port), UPSTREAM_ORIGIN: upstream.origin },
  });
  await service.until(waitForPort(port));
  return {
    name,
    port,
    path: CHAT_PATH,
    headers: {},
    // Enough for the ratio.
    ...(manner === 'dispatch' ? { addressFor: passedOn } : {}),
    processes: [service],
    async stop() {
      await service.stop();
    },
  };
}

export interface RunningUpstream extends Upstream {
  service: ServiceProcess;
  stop(): Promise<unknown>;
}

/** Starts the fast upstream in a separate process. */
export async function startUpstream(): Promise<RunningUpstream> {
  const service = ServiceProcess.start({
    name: 'upstream',
    args: [path.join(workspaceRoot(), 'dist/benches/fast-upstream.js')],
  });
  const line = await service.until(service.output.waitForLine('"event":"ready"'));
  const { port } = JSON.parse(line) as { port: number };
  return { port, origin: `http://127.0.0.1:${String(port)}`, service, stop: () => service.stop() };
}

const LONGEST_START_MS = 60_000;
const POLL_MS = 50;

/** Resolves when a server listens there. */
export async function waitForPort(port: number): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_START_MS;
  while (!(await isOpen(port))) {
    if (Date.now() > deadlineMs) throw new Error(`nothing listens on port ${String(port)}`);
    await sleep(POLL_MS);
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
