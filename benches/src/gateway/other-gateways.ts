import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort, runToEnd, ServiceProcess, workspaceRoot } from '@farebox/local-services';
import { AGENTS } from './agent-answers';
import { type Address, CHAT_PATH, type Contestant, type Upstream, waitForPort } from './contestants';
import { WIRE_PATHS } from './conversation';
import type { Load } from './loads';
import { SLOW } from './upstream-answers';

/** A third-party gateway, in a version that is known to work. It is installed from npm, once, for the bench alone. */
interface Package {
  name: string;
  package: string;
  version: string;
  /** Additional dependencies of its manifest. */
  manifest?: object;
}

const PORTKEY: Package = {
  name: 'Portkey',
  package: '@portkey-ai/gateway',
  version: '1.15.2',
  // Its streams do not work with the newest one.
  manifest: { overrides: { '@hono/node-server': '1.14.1' } },
};
const LLMS: Package = { name: 'llms', package: '@musistudio/llms', version: '1.0.53' };

type Say = (line: string) => void;

/** Portkey's gateway. `failingOrigin` is an upstream before this one, which may go down. */
export async function portkey(
  upstream: Upstream,
  say: Say,
  failingOrigin = upstream.origin,
): Promise<Contestant> {
  const folder = await install(PORTKEY, say);
  const target = (origin: string): object => ({
    ...{ provider: 'openai', api_key: 'upstream', custom_host: `${origin}${SLOW}/v1` },
  });
  const targets = [target(failingOrigin), target(upstream.origin)];
  const fallback = JSON.stringify({ strategy: { mode: 'fallback' }, targets });
  return startService(nameOf(PORTKEY), (port) => ({
    args: [
      path.join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js'),
      `--port=${String(port)}`,
      '--headless',
    ],
    cwd: folder,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    headers: {
      authorization: 'Bearer upstream',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstream.origin}/v1`,
    },
    addressFor({ agent, outage }) {
      if (outage) return { path: CHAT_PATH, headers: { 'x-portkey-config': fallback } };
      // Anthropic's protocol is translated for clients of chat, and no other.
      if (!agent || (agent.wires.client !== 'chat' && agent.wires.client !== agent.wires.upstream))
        return undefined;
      return {
        path: `/v1${WIRE_PATHS[agent.wires.client]}`,
        headers: {
          authorization: 'Bearer upstream',
          'x-portkey-provider': agent.wires.upstream === 'messages' ? 'anthropic' : 'openai',
          'x-portkey-custom-host': `${upstream.origin}${AGENTS}/v1`,
        },
      };
    },
  }));
}

/** Its ESM build does not load. Without its log of each request, which is on by default. */
const LLMS_SERVER = `const { default: Server } = require('@musistudio/llms');
const { PORT, UPSTREAM_URL, AGENTS_URL } = process.env;
const provider = (name, api_base_url) => ({ name, api_base_url, api_key: 'upstream', models: ['bench'] });
const providers = [provider('bench', UPSTREAM_URL), provider('agents', AGENTS_URL)];
const initialConfig = { PORT, HOST: '127.0.0.1', providers };
new Server({ useJsonFile: false, useEnvFile: false, logger: false, initialConfig }).start();
`;

/** The core of Claude Code Router: a server that converts between wires. */
export async function llms(upstream: Upstream, say: Say): Promise<Contestant> {
  const folder = await install(LLMS, say);
  const script = path.join(folder, 'server.cjs');
  writeFileSync(script, LLMS_SERVER);
  return startService(nameOf(LLMS), (port) => ({
    args: [script],
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PORT: String(port),
      UPSTREAM_URL: `${upstream.origin}${CHAT_PATH}`,
      AGENTS_URL: `${upstream.origin}${AGENTS}${CHAT_PATH}`,
    },
    headers: {},
    // The provider comes before the model.
    toBody: (prompt) => ({ model: 'bench,bench', messages: [{ role: 'user', content: prompt }] }),
    addressFor({ agent }) {
      if (agent?.wires.upstream !== 'chat' || agent.wires.client === 'responses') return undefined;
      return { path: `/v1${WIRE_PATHS[agent.wires.client]}`, headers: {}, model: 'agents,bench' };
    },
  }));
}

/**
 * LiteLLM's proxy, if it is on this machine: it is written in Python, and nothing is installed. One worker, no
 * database.
 */
export async function litellm(upstream: Upstream, command: string): Promise<Contestant> {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(
      `there is no "${command}" here; pip install 'litellm[proxy]', or name it with --litellm <command>`,
    );
  const version = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? '';
  const folder = folderFor('litellm');
  mkdirSync(folder, { recursive: true });
  const config = path.join(folder, 'config.yaml');
  writeFileSync(
    config,
    `model_list:
  - model_name: bench
    litellm_params: { model: openai/bench, api_base: "${upstream.origin}/v1", api_key: upstream }
`,
  );
  return startService(`LiteLLM ${version}`.trim(), (port) => ({
    command,
    args: ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
    cwd: folder,
    env: { ...process.env, LITELLM_LOG: 'ERROR', LITELLM_MODE: 'PRODUCTION' },
    headers: { authorization: 'Bearer bench' },
  }));
}

interface Service {
  command?: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  headers: Record<string, string>;
  toBody?: (prompt: string) => object;
  addressFor?: (load: Load) => Address | undefined;
}

async function startService(name: string, toService: (port: number) => Service): Promise<Contestant> {
  const port = await freePort();
  const { headers, toBody, addressFor, ...options } = toService(port);
  const service = ServiceProcess.start({ name, ...options });
  try {
    await service.until(waitForPort(port));
  } catch (error) {
    await service.stop();
    throw error;
  }
  return {
    name,
    port,
    path: CHAT_PATH,
    headers,
    ...(toBody ? { toBody } : {}),
    ...(addressFor ? { addressFor } : {}),
    processes: [service],
    async stop() {
      await service.stop();
    },
  };
}

function nameOf({ name, version }: Package): string {
  return `${name} ${version}`;
}

function folderFor(name: string): string {
  return path.join(workspaceRoot(), '.farebox/bench', name);
}

/** Returns the folder. An interrupted installation is repeated. */
async function install(wanted: Package, say: Say): Promise<string> {
  const folder = folderFor(`${wanted.name.toLowerCase()}-${wanted.version}`);
  const stamp = path.join(folder, '.installed');
  if (existsSync(stamp)) return folder;
  say(`Installing ${wanted.package} ${wanted.version} into ${path.relative(workspaceRoot(), folder)}, once.`);
  mkdirSync(folder, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { [wanted.package]: wanted.version },
    ...wanted.manifest,
  };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  await runToEnd({
    name: `npm install of ${wanted.name}`,
    command: 'npm',
    args: ['install', '--ignore-scripts', '--no-audit', '--no-fund'],
    cwd: folder,
    env: process.env,
  });
  writeFileSync(stamp, '');
  return folder;
}
