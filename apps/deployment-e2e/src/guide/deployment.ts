import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { certificate } from '../edge/edge-process';
import { blocksOf, commandsOf } from './guide';
import { openShell, type Shell } from './shell';

/** Beside a deployment of the machine's own. */
const PROJECT = {
  COMPOSE_PROJECT_NAME: 'farebox-guide-test',
  FAREBOX_PORT: '18080',
  FAREBOX_OPERATOR_PORT: '18083',
  FAREBOX_SUBNET: '172.30.84.0/24',
  FAREBOX_SUBNET_RANGE: '172.30.84.128/25',
  FAREBOX_SUBNET_GATEWAY: '172.30.84.1',
  FAREBOX_EDGE_ADDRESS: '172.30.84.10',
};
const TLS_PORT = '18443';

/** One customer sends everything. */
const NO_LIMITS = 'FAREBOX_RATE_LIMIT_REQUESTS=1000000\nFAREBOX_RATE_LIMIT_CONCURRENT=1000\n';

export interface Deployment {
  guide: string;
  shell: Shell;
  url: string;
  tlsUrl: string;
  /** Adds a file of the guide for Compose to what is in force. */
  addOverride(heading: string): void;
  /** Removes the containers and their data. */
  remove(): Promise<void>;
}

/** A checkout of the last commit of `root`, to follow its guide in. Nothing runs yet. */
export function openDeployment(root: string, folder: string, log: (text: string) => void): Deployment {
  execFileSync('git', ['clone', '--quiet', root, folder]);
  const docker = join(folder, 'docker');
  const guide = readFileSync(join(folder, 'docs/operate/operating.md'), 'utf8');
  const env = { ...PROJECT, USER: process.env['USER'] ?? 'operator' };
  const shell = openShell(docker, env, log);
  const override = join(docker, 'compose.override.yaml');
  writeFileSync(join(docker, 'gateway.env'), NO_LIMITS);
  // Streams that last.
  const catalog = join(folder, 'config/catalog.yaml');
  writeFileSync(catalog, readFileSync(catalog, 'utf8').replace('model: sim-paced', 'model: sim-paced-long'));
  return {
    guide,
    shell,
    url: `http://127.0.0.1:${PROJECT.FAREBOX_PORT}`,
    tlsUrl: `https://127.0.0.1:${TLS_PORT}`,
    addOverride(heading) {
      const [block] = blocksOf(guide, heading).filter(({ language }) => language === 'yaml');
      const added = parse(block?.text ?? '') as Override;
      const { services, volumes } = parse(readFileSync(override, 'utf8')) as Override;
      const merged = {
        services: { ...services, ...added.services },
        volumes: { ...volumes, ...added.volumes },
      };
      writeFileSync(override, stringify(merged));
    },
    async remove() {
      await shell.run('docker compose --profile demo --profile operator down --volumes --remove-orphans');
    },
  };
}

interface Override {
  services: Record<string, unknown>;
  volumes?: Record<string, unknown>;
}

/** The guide's first deployment, and its step to TLS. */
export async function deploy({ guide, shell }: Deployment, folder: string): Promise<void> {
  const heading = 'First deployment';
  await shell.run(`cd ..\n${commandsOf(guide, heading, 'generate-secrets.mjs')}`);
  const functions = commandsOf(guide, heading, 'roll() {');
  shell.define(functions.slice(0, functions.indexOf('docker compose --profile')));
  shell.define(commandsOf(guide, 'Rotating secrets', 'renew() {'));
  await shell.run(functions.slice(functions.indexOf('docker compose --profile')));
  // The key is in the same text.
  writeFileSync(join(folder, 'docker/fullchain.pem'), certificate('farebox.example'));
  writeFileSync(join(folder, 'docker/privkey.pem'), '');
  const tls = commandsOf(guide, heading, 'farebox.pem');
  await shell.run(tls.replace('443:8443', `127.0.0.1:${TLS_PORT}:8443`));
}
