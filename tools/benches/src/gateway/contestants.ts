import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, runToEnd, ServiceProcess, workspaceRoot } from '@farebox/local-services';

/** Something that clients can ask instead of the upstream. */
export interface Contestant {
  name: string;
  port: number;
  path: string;
  headers: Record<string, string>;
  /** The processes whose processor time and memory count. None for the upstream itself. */
  processes: ServiceProcess[];
  stop(): Promise<void>;
}

export interface Upstream {
  port: number;
  origin: string;
}

export const PATH = '/v1/chat/completions';

/** The upstream itself, with nothing in front. */
export function direct(upstream: Upstream): Contestant {
  return {
    name: 'direct',
    port: upstream.port,
    path: PATH,
    headers: {},
    processes: [],
    stop: () => Promise.resolve(),
  };
}

/** A bare proxy: a script of this bench, see its header. */
export async function bareProxy(
  name: string,
  script: 'dispatch-proxy' | 'request-proxy',
  upstream: Upstream,
): Promise<Contestant> {
  const port = await freePort();
  const service = ServiceProcess.start({
    name,
    args: [path.join(workspaceRoot(), 'dist/benches/contestants', `${script}.js`)],
    env: { PORT: String(port), UPSTREAM_ORIGIN: upstream.origin },
  });
  await service.until(waitForPort(port));
  return {
    name,
    port,
    path: PATH,
    headers: {},
    processes: [service],
    async stop() {
      await service.stop();
    },
  };
}

const PORTKEY_VERSION = '1.15.2';
/** With the newest one its streams do not work. */
const NODE_SERVER_VERSION = '1.14.1';

/** Portkey's gateway, from npm, in a folder of its own; it is installed there once. */
export async function portkey(upstream: Upstream, say: (line: string) => void): Promise<Contestant> {
  const folder = path.join(workspaceRoot(), '.farebox/bench', `portkey-${PORTKEY_VERSION}`);
  const script = path.join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  if (!existsSync(script)) await install(folder, say);
  const port = await freePort();
  const service = ServiceProcess.start({
    name: 'Portkey',
    args: [script, `--port=${String(port)}`, '--headless'],
    cwd: folder,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  });
  await service.until(waitForPort(port));
  return {
    name: `Portkey ${PORTKEY_VERSION}`,
    port,
    path: PATH,
    headers: {
      authorization: 'Bearer upstream',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstream.origin}/v1`,
    },
    processes: [service],
    async stop() {
      await service.stop();
    },
  };
}

async function install(folder: string, say: (line: string) => void): Promise<void> {
  say(`installing @portkey-ai/gateway ${PORTKEY_VERSION} into ${path.relative(workspaceRoot(), folder)}`);
  mkdirSync(folder, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { '@portkey-ai/gateway': PORTKEY_VERSION },
    overrides: { '@hono/node-server': NODE_SERVER_VERSION },
  };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  await runToEnd({
    name: 'npm install of Portkey',
    command: 'npm',
    args: ['install', '--ignore-scripts', '--no-audit', '--no-fund'],
    cwd: folder,
    env: process.env,
  });
}

interface RunningUpstream extends Upstream {
  stop(): Promise<unknown>;
}

/** Starts the fast upstream in a process of its own. */
export async function startUpstream(): Promise<RunningUpstream> {
  const service = ServiceProcess.start({
    name: 'upstream',
    args: [path.join(workspaceRoot(), 'dist/benches/fast-upstream.js')],
  });
  const line = await service.until(service.output.waitForLine('"event":"ready"'));
  const { port } = JSON.parse(line) as { port: number };
  return { port, origin: `http://127.0.0.1:${String(port)}`, stop: () => service.stop() };
}

const LONGEST_WAIT_MS = 60_000;
const POLL_MS = 50;

/** Resolves when something listens there. */
async function waitForPort(port: number): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
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
