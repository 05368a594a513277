import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort, runToEnd, ServiceProcess, workspaceRoot } from '@farebox/local-services';
import { waitForPort } from '../wait-for-port';
import { PATH, type Contestant, type Upstream } from './contestant';

export const PORTKEY_VERSION = '1.15.2';
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
