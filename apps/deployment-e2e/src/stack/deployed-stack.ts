import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, type ServiceProcess } from '@farebox/local-services';
import { startTestRedis } from '@farebox/testing';
import { readComposeFile } from '../compose/compose-file';
import { generateSecrets } from '../compose/generated-secrets';
import { startEdge, type EdgeProcess } from '../edge/edge-process';
import { readDockerfile } from '../images/dockerfile';
import { containerOf, run, start, type Container } from './container-process';
import { startOwnPostgres, type OwnPostgres } from './own-postgres';

/** The long-running services of the compose file, in the order of their start. */
export const SERVICES = [
  'simulated-upstream',
  'gateway-1',
  'gateway-2',
  'account-1',
  'account-2',
  'worker',
] as const;
type Service = (typeof SERVICES)[number];

/** The variable with the port of each. */
const PORT_VARIABLES: Record<string, string> = {
  'simulated-upstream': 'FAREBOX_SIMULATED_UPSTREAM_PORT',
  'gateway-1': 'FAREBOX_GATEWAY_PORT',
  'gateway-2': 'FAREBOX_GATEWAY_PORT',
  'account-1': 'FAREBOX_ACCOUNT_PORT',
  'account-2': 'FAREBOX_ACCOUNT_PORT',
};

/** The equivalent of `docker compose up` in processes of this machine. */
export interface DeployedStack {
  postgres: OwnPostgres;
  containers: Record<Service | 'migrate' | 'admin', Container>;
  processes: Map<string, ServiceProcess>;
  start(name: Service): ServiceProcess;
  /** Starts one of the edges. The second one, with the port of the first, serves beside it. */
  startEdge(name: 'edge-1' | 'edge-2', port?: number): Promise<EdgeProcess>;
  /** Runs the operator's command, and returns its JSON output. */
  admin(...args: string[]): Promise<Record<string, unknown>>;
  remove(): Promise<void>;
}

/** Undoes a step of the start. */
type Removal = () => unknown;

export async function openDeployedStack(): Promise<DeployedStack> {
  const removals: Removal[] = [];
  const remove = async (): Promise<void> => {
    for (const removal of removals.splice(0).reverse()) await removal();
  };
  try {
    return { ...(await open(removals)), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function open(removals: Removal[]): Promise<Omit<DeployedStack, 'remove'>> {
  const newFolder = (name: string): string => {
    const folder = mkdtempSync(join(tmpdir(), `farebox-${name}-`));
    removals.push(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    return folder;
  };
  const { services } = readComposeFile(generateSecrets(newFolder('secrets')));
  const postgres = await startOwnPostgres(services['postgres']?.environment ?? {});
  removals.push(() => postgres.remove());
  const parent = newFolder('stack');
  chmodSync(parent, 0o755);
  const redis = await startTestRedis();
  removals.push(() => redis.remove());
  const translate = await translation(postgres.address, redis.url);
  const stages = readDockerfile();
  const container = (name: string): Container => {
    const service = services[name];
    if (service === undefined) throw new Error(`The compose file has no service ${name}.`);
    return containerOf({ name, service, stages, parent }, translate);
  };
  const names = [...SERVICES, 'migrate', 'admin'] as const;
  const containers = Object.fromEntries(
    names.map((name) => [name, container(name)]),
  ) as DeployedStack['containers'];
  const processes = new Map<string, ServiceProcess>();
  removals.push(() => Promise.all([...processes.values()].map((service) => service.stop())));

  return {
    postgres,
    containers,
    processes,
    start(name) {
      const started = start(containers[name]);
      processes.set(name, started);
      return started;
    },
    async startEdge(name, port) {
      const edge = await startEdge(
        { ...translate(name, services[name]?.environment ?? {}), FAREBOX_EDGE_CONNECTIONS: '500' },
        port,
      );
      processes.set(name, edge.process);
      return edge;
    },
    async admin(...args) {
      const lines = await run(containers.admin, [...args, '--json']);
      return JSON.parse(lines.join('\n')) as Record<string, unknown>;
    },
  };
}

/** Replaces the containers' host names by ports of this machine. */
async function translation(postgresAddress: string, redisUrl: string) {
  const serving = Object.keys(PORT_VARIABLES);
  const ports = await freePorts(serving.length + SERVICES.length);
  const portOf = (name: string): string => String(ports[serving.indexOf(name)] ?? '');
  const metricsPortOf = (name: string): string =>
    String(ports[serving.length + (SERVICES as readonly string[]).indexOf(name)] ?? '');

  const translateValue = (value: string): string => {
    if (value.startsWith('redis://')) return redisUrl;
    const named = serving.reduce(
      (text, name) => text.replaceAll(new RegExp(`(?<=^|//)${name}:\\d+`, 'g'), `127.0.0.1:${portOf(name)}`),
      value.replace('@postgres:5432', `@${postgresAddress}`),
    );
    return named === '0.0.0.0' ? '127.0.0.1' : named;
  };
  return (name: string, env: Record<string, string>): Record<string, string> => {
    const translated = Object.fromEntries(
      Object.entries(env).map(([variable, value]) => [variable, translateValue(value)]),
    );
    const portVariable = PORT_VARIABLES[name];
    if (portVariable !== undefined) translated[portVariable] = portOf(name);
    // Generous because a busy machine may stall for many seconds.
    translated['FAREBOX_DATABASE_TIMEOUT'] = '60s';
    if (translated['FAREBOX_METRICS_PORT'] !== undefined)
      translated['FAREBOX_METRICS_PORT'] = metricsPortOf(name);
    return translated;
  };
}
